// From formatted entries to lines: on one line if they are short, in columns if they are many, else one below the other.
// After node's `lib/internal/util/inspect.js` (MIT).
(function (natives, primordials) {
  "use strict";
  const {
    ArrayPrototypeJoin, MathFloor, MathMax, MathMin, MathRound, MathSqrt, StringPrototypeIncludes, StringPrototypePadEnd,
    StringPrototypePadStart, StringPrototypeRepeat, newList,
  } = primordials;
  const { width } = natives.strings;
  const SEPARATOR = 2;
  const MOST_COLUMNS = 15;
  // How much higher than wide a character is, about.
  const CHARACTER_HEIGHT = 2.5;

  // `numbers` says that all entries are numbers, which line up to the right. `more` says that the last entry only counts
  // what was left out.
  function columns(context, output, numbers, more) {
    const count = more ? output.length - 1 : output.length;
    const widths = newList();
    let total = 0;
    let longest = 0;
    for (let index = 0; index < count; index++) {
      const length = width(output[index]);
      widths[index] = length;
      total += length + SEPARATOR;
      if (longest < length) longest = length;
    }
    const widest = longest + SEPARATOR;
    // Entries of very different length would leave large gaps.
    if (!(widest * 3 + context.indentation < context.breakLength && (total / widest > 5 || longest <= 6))) return output;
    const bias = MathSqrt(widest - total / output.length);
    const biased = MathMax(widest - 3 - bias, 1);
    const number = MathMin(
      MathRound(MathSqrt(CHARACTER_HEIGHT * biased * count) / biased),
      MathFloor((context.breakLength - context.indentation) / widest),
      context.compact * 4,
      MOST_COLUMNS,
    );
    if (number <= 1) return output;
    const columnWidths = newList();
    for (let column = 0; column < number; column++) {
      let length = 0;
      for (let index = column; index < count; index += number) if (widths[index] > length) length = widths[index];
      columnWidths[column] = length + SEPARATOR;
    }
    const pad = numbers ? StringPrototypePadStart : StringPrototypePadEnd;
    const rows = newList();
    for (let start = 0; start < count; start += number) {
      const end = MathMin(start + number, count);
      let row = "";
      let index = start;
      for (; index < end - 1; index++)
        row += pad(output[index] + ", ", columnWidths[index - start] + output[index].length - widths[index], " ");
      row += numbers
        ? StringPrototypePadStart(output[index], columnWidths[index - start] + output[index].length - widths[index] - SEPARATOR, " ")
        : output[index];
      rows[rows.length] = row;
    }
    if (more) rows[rows.length] = output[count];
    return rows;
  }

  function fits(context, output, start, base) {
    let total = output.length + start;
    if (total + output.length > context.breakLength) return false;
    for (let index = 0; index < output.length; index++) {
      total += output[index].length;
      if (total > context.breakLength) return false;
    }
    return base === "" || !StringPrototypeIncludes(base, "\n");
  }

  // `list` is undefined for objects; for arrays it is `{ numbers, more }`.
  function join(context, output, base, open, close, list, depth) {
    const lead = base === "" ? open : base + " " + open;
    if (context.compact === true) {
      if (fits(context, output, 0, base))
        return open + (base === "" ? "" : " " + base) + " " + ArrayPrototypeJoin(output, ", ") + " " + close;
      const spaces = StringPrototypeRepeat(" ", context.indentation);
      const after = base === "" && open.length === 1 ? " " : (base === "" ? "" : " " + base) + "\n" + spaces + "  ";
      return open + after + ArrayPrototypeJoin(output, ",\n" + spaces + "  ") + " " + close;
    }
    if (context.compact >= 1) {
      const entries = output.length;
      if (list !== undefined && entries > 6) output = columns(context, output, list.numbers, list.more);
      if (context.currentDepth - depth < context.compact && entries === output.length) {
        const start = output.length + context.indentation + open.length + base.length + 10;
        if (fits(context, output, start, base)) {
          const joined = ArrayPrototypeJoin(output, ", ");
          if (!StringPrototypeIncludes(joined, "\n")) return lead + " " + joined + " " + close;
        }
      }
    }
    const line = "\n" + StringPrototypeRepeat(" ", context.indentation);
    return lead + line + "  " + ArrayPrototypeJoin(output, "," + line + "  ") + line + close;
  }

  return { __proto__: null, join };
})
