// `console.table`. After node's `lib/internal/cli_table.js` and `lib/internal/console/constructor.js` (MIT).
(function (natives, primordials) {
  "use strict";
  const {
    ArrayIsArray, ArrayPrototypeJoin, MapIteratorPrototypeNext, MapPrototypeEntries, MapPrototypeGet, MapPrototypeGetSize,
    MapPrototypeSet, Map, ObjectKeys, SetIteratorPrototypeNext, SetPrototypeGetSize, SetPrototypeValues,
    StringPrototypeRepeat, classOf, classes, descriptorOf, newList,
  } = primordials;
  const { inspect } = natives.inspector;
  const { behindProxies } = natives.objects;
  const { entriesLeft } = natives.collections;
  const { width } = natives.strings;
  // A longer table is cut: the text of one call is bounded anyway.
  const MOST_ROWS = 1000;
  const MOST_COLUMNS = 100;

  function cell(value) {
    const object = typeof value === "object" && value !== null ? behindProxies(value) : null;
    const outline = object !== null && !ArrayIsArray(object) && ObjectKeys(object).length > 2;
    return inspect(value, { __proto__: null, depth: outline ? -1 : 0, maxArrayLength: 3, breakLength: Infinity });
  }

  function data(object, key) {
    const descriptor = descriptorOf(object, key);
    return descriptor === undefined ? undefined : descriptor.value;
  }

  function row(cells, widths) {
    let text = "│ ";
    for (let index = 0; index < widths.length; index++) {
      const content = cells[index] ?? "";
      if (index > 0) text += " │ ";
      text += content + StringPrototypeRepeat(" ", widths[index] - width(content));
    }
    return text + " │\n";
  }

  function draw(head, rows) {
    const widths = newList();
    const rules = newList();
    for (let column = 0; column < head.length; column++) {
      let widest = width(head[column]);
      for (let index = 0; index < rows.length; index++) {
        const length = width(rows[index][column] ?? "");
        if (length > widest) widest = length;
      }
      widths[column] = widest;
      rules[column] = StringPrototypeRepeat("─", widest + 2);
    }
    let text = "┌" + ArrayPrototypeJoin(rules, "┬") + "┐\n" + row(head, widths) + "├" + ArrayPrototypeJoin(rules, "┼") + "┤\n";
    for (let index = 0; index < rows.length; index++) text += row(rows[index], widths);
    return text + "└" + ArrayPrototypeJoin(rules, "┴") + "┘";
  }

  function list(first, second, third) {
    const cells = newList();
    cells[0] = first;
    cells[1] = second;
    if (third !== undefined) cells[2] = third;
    return cells;
  }

  function ofMap(map) {
    const rows = newList();
    const iterator = MapPrototypeEntries(map);
    for (let index = 0; index < MapPrototypeGetSize(map) && index < MOST_ROWS; index++) {
      const entry = MapIteratorPrototypeNext(iterator).value;
      rows[index] = list("" + index, cell(entry[0]), cell(entry[1]));
    }
    return draw(list("(iteration index)", "Key", "Values"), rows);
  }

  function ofSet(set) {
    const rows = newList();
    const iterator = SetPrototypeValues(set);
    for (let index = 0; index < SetPrototypeGetSize(set) && index < MOST_ROWS; index++)
      rows[index] = list("" + index, cell(SetIteratorPrototypeNext(iterator).value));
    return draw(list("(iteration index)", "Values"), rows);
  }

  function ofIterator(iterator) {
    const { entries, pairs } = entriesLeft(iterator);
    const isMap = classOf(iterator) === classes.MapIterator;
    const rows = newList();
    const add = (first, second) => {
      rows[rows.length] = list("" + rows.length, cell(first), second);
    };
    for (let index = 0; index < entries.length && rows.length < MOST_ROWS; index++) {
      if (!pairs) add(entries[index]);
      else if (isMap) add(entries[index][0], cell(entries[index][1]));
      // A set's pairs are two rows each, as node has it.
      else add(entries[index][0]), add(entries[index][1]);
    }
    return draw(isMap && pairs ? list("(iteration index)", "Key", "Values") : list("(iteration index)", "Values"), rows);
  }

  // Names of the columns that the caller asked for, or undefined for all.
  function chosen(properties) {
    if (!ArrayIsArray(properties)) return undefined;
    const names = newList();
    const object = behindProxies(properties);
    const length = object === null ? 0 : data(object, "length");
    for (let index = 0; index < length && index < MOST_COLUMNS; index++) {
      const name = data(object, index);
      if (typeof name === "string") names[names.length] = name;
    }
    return names;
  }

  function ofRecords(records, properties) {
    const columns = new Map();
    const head = newList();
    head[0] = "(index)";
    const place = (name) => {
      let column = MapPrototypeGet(columns, name);
      if (column === undefined && head.length < MOST_COLUMNS) {
        column = head.length;
        head[column] = name;
        MapPrototypeSet(columns, name, column);
      }
      return column;
    };
    const rows = newList();
    const singles = newList();
    const names = chosen(properties);
    const keys = ObjectKeys(records);
    for (let index = 0; index < keys.length && index < MOST_ROWS; index++) {
      const cells = newList();
      cells[0] = keys[index];
      rows[index] = cells;
      let item = data(records, keys[index]);
      const isObject = (typeof item === "object" && item !== null) || typeof item === "function";
      if (isObject) item = behindProxies(item);
      if ((!isObject || item === null) && names === undefined) {
        singles[index] = cell(item);
        continue;
      }
      const fields = names ?? ObjectKeys(item);
      for (let field = 0; field < fields.length; field++) {
        const column = place(fields[field]);
        if (column === undefined || !isObject || item === null) continue;
        if (descriptorOf(item, fields[field]) !== undefined) cells[column] = cell(data(item, fields[field]));
      }
    }
    if (singles.length > 0) {
      const column = head.length;
      head[column] = "Values";
      for (let index = 0; index < singles.length; index++) if (singles[index] !== undefined) rows[index][column] = singles[index];
    }
    return draw(head, rows);
  }

  // The table of an object, or undefined if `value` is none.
  return function table(value, properties) {
    if (typeof value !== "object" || value === null) return undefined;
    const object = behindProxies(value);
    if (object === null) return undefined;
    const kind = classOf(object);
    if (kind === classes.Map) return ofMap(object);
    if (kind === classes.Set) return ofSet(object);
    if (kind === classes.MapIterator || kind === classes.SetIterator) return ofIterator(object);
    return ofRecords(object, properties);
  };
})
