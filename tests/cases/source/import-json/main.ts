// A .json file is imported as its value.
import settings from "./settings.json" with { type: "json" };
console.log(settings, settings.list[1].deep);
