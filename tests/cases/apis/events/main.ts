// Event and EventTarget: listeners, once, cancelling, stopping, own classes.
class Bus extends EventTarget {}
const bus = new Bus();
bus.addEventListener("ping", (event) => { console.log("first", event.type, event.target === bus, event.cancelable); event.preventDefault(); });
bus.addEventListener("ping", { handleEvent: (event: Event) => { console.log("object"); event.stopImmediatePropagation(); } });
bus.addEventListener("ping", () => console.log("never"));
console.log(bus.dispatchEvent(new Event("ping", { cancelable: true })), bus.dispatchEvent(new Event("other")));
