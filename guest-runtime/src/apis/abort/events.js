// `Event` and `EventTarget`: no tree, so an event meets its target and nobody else.
(function (natives, primordials) {
  "use strict";
  const {
    DOMException, Map, MapPrototypeGet, MapPrototypeSet, ObjectDefineProperty, ReflectApply, TypeError,
    defineEnumerable, defineGlobal, defineTag, newList, toArray, toText,
  } = primordials;
  const { now, reportError } = natives;
  const AT_TARGET = 2;
  // Filled by the classes, for each other and for `abort.js`.
  const inner = { __proto__: null };

  function isObject(value) {
    return (typeof value === "object" && value !== null) || typeof value === "function";
  }

  class Event {
    #type;
    #bubbles = false;
    #cancelable = false;
    #composed = false;
    #target = null;
    #currentTarget = null;
    #phase = 0;
    #dispatching = false;
    #stopped = false;
    #stoppedAtOnce = false;
    #prevented = false;
    #passive = false;
    #trusted = false;
    #timeStamp;
    constructor(type, init = undefined) {
      if (arguments.length === 0) throw new TypeError("the type of the event is missing");
      this.#type = toText(type);
      this.#timeStamp = now();
      if (init === undefined || init === null) return;
      if (!isObject(init)) throw new TypeError("the options of an event must be an object");
      this.#bubbles = !!init.bubbles;
      this.#cancelable = !!init.cancelable;
      this.#composed = !!init.composed;
    }
    get type() { return this.#type; }
    get target() { return this.#target; }
    get srcElement() { return this.#target; }
    get currentTarget() { return this.#currentTarget; }
    get eventPhase() { return this.#phase; }
    get bubbles() { return this.#bubbles; }
    get cancelable() { return this.#cancelable; }
    get composed() { return this.#composed; }
    get defaultPrevented() { return this.#prevented; }
    get returnValue() { return !this.#prevented; }
    set returnValue(value) { if (!value) this.preventDefault(); }
    get cancelBubble() { return this.#stopped; }
    set cancelBubble(value) { if (value) this.#stopped = true; }
    get timeStamp() { return this.#timeStamp; }
    get isTrusted() { return this.#trusted; }
    composedPath() {
      const path = newList();
      if (this.#currentTarget !== null) path[0] = this.#currentTarget;
      return toArray(path);
    }
    preventDefault() { if (this.#cancelable && !this.#passive) this.#prevented = true; }
    stopPropagation() { this.#stopped = true; }
    stopImmediatePropagation() { this.#stopped = this.#stoppedAtOnce = true; }

    static {
      inner.isEvent = (value) => isObject(value) && #type in value;
      inner.begin = (event, target) => {
        if (event.#dispatching) throw new DOMException("the event is being dispatched already", "InvalidStateError");
        event.#dispatching = true;
        event.#target = event.#currentTarget = target;
        event.#phase = AT_TARGET;
      };
      inner.end = (event) => {
        event.#dispatching = event.#stopped = event.#stoppedAtOnce = false;
        event.#currentTarget = null;
        event.#phase = 0;
        return !event.#prevented;
      };
      inner.typeOf = (event) => event.#type;
      inner.isStopped = (event) => event.#stoppedAtOnce;
      inner.setPassive = (event, passive) => { event.#passive = passive; };
      inner.trusted = (type) => {
        const event = new Event(type);
        event.#trusted = true;
        return event;
      };
    }
  }

  class EventTarget {
    // Type to list of listeners. A list is replaced, never changed, so that a dispatch can go on with the one it has.
    #listeners = new Map();

    addEventListener(type, callback, options = undefined) {
      const listeners = this.#listeners;
      if (arguments.length < 2) throw new TypeError("type and callback of the listener are needed");
      type = toText(type);
      const given = isObject(options) ? options : { __proto__: null, capture: !!options };
      const listener = {
        __proto__: null, callback, capture: !!given.capture, once: !!given.once, passive: !!given.passive, removed: false,
      };
      const { signal } = given;
      if (signal !== undefined && !inner.isAbortSignal(signal)) throw new TypeError("the `signal` of a listener must be an AbortSignal");
      if (callback === null || callback === undefined) return;
      if (!isObject(callback)) throw new TypeError("a listener must be a function or an object with `handleEvent`");
      if (signal !== undefined && inner.isAborted(signal)) return;
      if (this.#find(type, callback, listener.capture) !== -1) return;
      const list = MapPrototypeGet(listeners, type);
      const longer = newList();
      if (list !== undefined) for (let index = 0; index < list.length; index++) longer[index] = list[index];
      longer[longer.length] = listener;
      MapPrototypeSet(listeners, type, longer);
      if (signal !== undefined) inner.addAbortAlgorithm(signal, () => this.#remove(type, callback, listener.capture));
    }
    removeEventListener(type, callback, options = undefined) {
      this.#listeners;
      if (arguments.length < 2) throw new TypeError("type and callback of the listener are needed");
      this.#remove(toText(type), callback, isObject(options) ? !!options.capture : !!options);
    }
    dispatchEvent(event) {
      this.#listeners;
      if (!inner.isEvent(event)) throw new TypeError("only an Event can be dispatched");
      return this.#dispatch(event);
    }
    #find(type, callback, capture) {
      const list = MapPrototypeGet(this.#listeners, type);
      if (list === undefined) return -1;
      for (let index = 0; index < list.length; index++)
        if (list[index].callback === callback && list[index].capture === capture) return index;
      return -1;
    }
    #remove(type, callback, capture) {
      const index = this.#find(type, callback, capture);
      if (index === -1) return;
      const list = MapPrototypeGet(this.#listeners, type);
      list[index].removed = true;
      const shorter = newList();
      for (let place = 0; place < list.length; place++) if (place !== index) shorter[shorter.length] = list[place];
      MapPrototypeSet(this.#listeners, type, shorter);
    }
    // Capturing listeners come first, also at the target itself.
    #dispatch(event) {
      inner.begin(event, this);
      this.#call(event, true);
      this.#call(event, false);
      return inner.end(event);
    }
    #call(event, capture) {
      const list = MapPrototypeGet(this.#listeners, inner.typeOf(event));
      if (list === undefined) return;
      for (let index = 0; index < list.length && !inner.isStopped(event); index++) {
        const listener = list[index];
        if (listener.removed || listener.capture !== capture) continue;
        if (listener.once) this.#remove(inner.typeOf(event), listener.callback, listener.capture);
        inner.setPassive(event, listener.passive);
        try {
          if (typeof listener.callback === "function") ReflectApply(listener.callback, this, [event]);
          else {
            const { handleEvent } = listener.callback;
            if (typeof handleEvent !== "function") throw new TypeError("`handleEvent` of a listener must be a function");
            ReflectApply(handleEvent, listener.callback, [event]);
          }
        } catch (error) {
          reportError(error);
        }
        inner.setPassive(event, false);
      }
    }

    static {
      inner.fire = (target, type) => target.#dispatch(inner.trusted(type));
    }
  }

  const constants = { __proto__: null, NONE: 0, CAPTURING_PHASE: 1, AT_TARGET, BUBBLING_PHASE: 3 };
  for (const name in constants) {
    const descriptor = { __proto__: null, value: constants[name], enumerable: true };
    ObjectDefineProperty(Event, name, descriptor);
    ObjectDefineProperty(Event.prototype, name, descriptor);
  }
  defineTag(Event, "Event");
  defineTag(EventTarget, "EventTarget");
  defineEnumerable(
    Event.prototype,
    "type target srcElement currentTarget eventPhase bubbles cancelable composed defaultPrevented returnValue cancelBubble " +
      "timeStamp isTrusted composedPath preventDefault stopPropagation stopImmediatePropagation",
  );
  defineEnumerable(EventTarget.prototype, "addEventListener removeEventListener dispatchEvent");
  defineGlobal("Event", Event);
  defineGlobal("EventTarget", EventTarget);
  inner.EventTarget = EventTarget;
  return inner;
})
