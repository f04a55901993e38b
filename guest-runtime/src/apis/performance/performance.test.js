test("the clock", () => {
  same([performance.now(), performance.timeOrigin, performance.now.name], [1.5, 1000, "now"]);
  same(performance, { timeOrigin: 1000 });
  throws(() => new Performance(), "TypeError");
  equal(Object.keys(globalThis).includes("performance"), false);
});
