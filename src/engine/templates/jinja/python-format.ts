import { FilterFault, pythonRepr, repeated, shown } from "./filter-arguments.ts";

/** Layout of one value: the common part of Python's `%` and `str.format`. */
interface Layout {
  fill: string;
  /** Undefined: text is left-aligned, numbers right-aligned. `=` pads between sign and digits. */
  align: "<" | ">" | "^" | "=" | undefined;
  sign: string;
  width: number;
  grouping: string;
  precision: number | undefined;
  /** Empty: the default for the value. */
  type: string;
}

/** Python's `"%s-%d" % values`; `%(name)s` uses named values. */
export function percentFormat(format: string, given: readonly unknown[]): string {
  const named = namedValues(given);
  let next = 0;
  const take = () => {
    if (next >= given.length) throw new FilterFault("has too few values for its text");
    return given[next++];
  };
  const field = /%(?:\((\w+)\))?([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+))?([diouxXeEfFgGcrsa%])/g;
  return format.replace(
    field,
    (
      _,
      name: string | undefined,
      flags: string,
      width = "0",
      precision: string | undefined,
      type: string,
    ) => {
      if (type === "%") return "%";
      const size = (text: string) => Number(text === "*" ? take() : text);
      const zero = flags.includes("0") && !flags.includes("-") && !"rsac".includes(type);
      return laidOut(name === undefined ? take() : named.get(name), {
        fill: zero ? "0" : " ",
        align: flags.includes("-") ? "<" : zero ? "=" : ">",
        sign: flags.includes("+") ? "+" : flags.includes(" ") ? " " : "",
        width: size(width),
        grouping: "",
        precision: precision === undefined ? undefined : size(precision),
        type: type === "i" || type === "u" ? "d" : type,
      });
    },
  );
}

/** Python's `"{} {name:>8.2f}".format(…)`, with `{0[key]}` and `{0.key}` for lookups in plain data. */
export function braceFormat(format: string, given: readonly unknown[]): string {
  const named = namedValues(given);
  let next = 0;
  const field = /\{\{|\}\}|\{([^{}!:]*)(?:!([rsa]))?(?::([^{}]*))?\}/g;
  return format.replace(
    field,
    (whole, path: string | undefined, conversion: string | undefined, layout = "") => {
      if (path === undefined) return whole[0] ?? "";
      const [head = "", ...keys] = path.split(/[.[]/).map((part) => part.replace(/\]$/, ""));
      const index = head === "" ? next++ : Number(head);
      const value = keys.reduce(valueAt, Number.isInteger(index) ? given[index] : named.get(head));
      return laidOut(conversion === "r" || conversion === "a" ? pythonRepr(value) : value, layoutOf(layout));
    },
  );
}

function namedValues(given: readonly unknown[]): ReadonlyMap<unknown, unknown> {
  const last = given.at(-1);
  return last instanceof Map ? last : new Map();
}

function valueAt(value: unknown, key: string): unknown {
  if (value instanceof Map) return value.get(key);
  return Array.isArray(value) || typeof value === "string" ? value[Number(key)] : undefined;
}

function layoutOf(specification: string): Layout {
  const parts = /^(?:(.)?([<>=^]))?([-+ ])?#?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/u.exec(specification);
  if (!parts) throw new FilterFault(`has an invalid layout ${JSON.stringify(specification)}`);
  const [, fill, align, sign = "", zero, width = "0", grouping = "", precision, type = ""] = parts;
  return {
    fill: fill ?? (zero ? "0" : " "),
    align: (align as Layout["align"]) ?? (zero ? "=" : undefined),
    sign: sign === "-" ? "" : sign,
    width: Number(width),
    grouping,
    precision: precision === undefined ? undefined : Number(precision),
    type,
  };
}

function laidOut(value: unknown, layout: Layout): string {
  const { type, precision, width, fill } = layout;
  if (!Number.isInteger(width) || (precision ?? 0) > 100)
    throw new FilterFault("has an invalid width or precision");
  const number = typeof value === "boolean" && type !== "" ? Number(value) : value;
  const numeric = typeof number === "number" || typeof number === "bigint";
  if (!numeric || "srac".includes(type || "-")) {
    if (!"srac".includes(type)) throw new FilterFault(`needs a number for ${type}`);
    const text = type === "r" || type === "a" ? pythonRepr(value) : shown(value);
    const cut = precision === undefined ? text : [...text].slice(0, precision).join("");
    return padded(cut, width, layout.align === "=" ? "<" : (layout.align ?? "<"), fill);
  }
  const sign = number < 0 ? "-" : layout.sign;
  const digits = digitsOf(Number(number < 0 ? -number : number), layout);
  if (layout.align === "=") return sign + padded(digits, width - sign.length, ">", fill);
  return padded(sign + digits, width, layout.align ?? ">", fill);
}

function digitsOf(value: number, { type, precision, grouping }: Layout): string {
  const whole = Math.trunc(value);
  switch (type) {
    case "":
      return grouped(
        precision === undefined ? String(value) : String(Number(value.toPrecision(precision || 1))),
        grouping,
      );
    case "d":
      return grouped(String(whole).padStart(precision ?? 0, "0"), grouping);
    case "x":
    case "o":
    case "b":
      return whole.toString({ x: 16, o: 8, b: 2 }[type]);
    case "X":
      return whole.toString(16).toUpperCase();
    case "e":
    case "E": {
      const text = value.toExponential(precision ?? 6).replace(/e([+-])(\d)$/, "e$10$2");
      return type === "E" ? text.toUpperCase() : text;
    }
    case "f":
    case "F":
      return grouped(value.toFixed(precision ?? 6), grouping);
    case "g":
    case "G":
      return String(Number(value.toPrecision(precision || 6)));
    case "%":
      return `${(value * 100).toFixed(precision ?? 6)}%`;
    default:
      throw new FilterFault(`doesn't know the layout type ${type}`);
  }
}

function grouped(digits: string, mark: string): string {
  if (!mark) return digits;
  const [whole = "", ...fraction] = digits.split(".");
  return [whole.replace(/\B(?=(?:\d{3})+$)/g, mark), ...fraction].join(".");
}

/** `text` padded to `width` characters. */
export function padded(text: string, width: number, align: string, fill = " "): string {
  const missing = width - [...text].length;
  if (missing <= 0) return text;
  // Python puts the extra character on the left only if the width is odd too.
  const left = align === "<" ? 0 : align === ">" ? missing : Math.floor(missing / 2) + (missing & width & 1);
  return repeated(fill, left) + text + repeated(fill, missing - left);
}
