console.log("effect evaluated");
globalThis.effect = true;
