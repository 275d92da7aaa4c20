import { type Filter, FilterFault, namedArguments, shown, wholeNumber } from "./filter-arguments.ts";
import { braceFormat, padded } from "./python-format.ts";

/**
 * Python's string methods that the engine lacks, as filters with internal names. Methods that the engine has (`upper`, `split`, `strip` …)
 * are not listed.
 */
export const pythonMethods: Readonly<Record<string, Filter>> = {
  _py_format: (text, ...given) => braceFormat(shown(text), given),
  _py_casefold: (text) => shown(text).toLowerCase(),
  _py_swapcase: (text) =>
    shown(text).replace(/\p{L}/gu, (c) => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase())),
  _py_center: (text, ...given) => pad(text, "^", given),
  _py_ljust: (text, ...given) => pad(text, "<", given),
  _py_rjust: (text, ...given) => pad(text, ">", given),
  _py_zfill: (text, width) => {
    const [, sign = "", digits = ""] = /^([+-]?)(.*)$/s.exec(shown(text)) ?? [];
    return sign + padded(digits, wholeNumber(width, 0) - sign.length, ">", "0");
  },
  _py_removeprefix: (text, prefix) => {
    const whole = shown(text);
    return whole.startsWith(shown(prefix)) ? whole.slice(shown(prefix).length) : whole;
  },
  _py_removesuffix: (text, suffix) => {
    const whole = shown(text);
    const end = shown(suffix);
    return end && whole.endsWith(end) ? whole.slice(0, -end.length) : whole;
  },
  _py_partition: (text, mark) => split(shown(text), shown(text).indexOf(shown(mark)), shown(mark), "first"),
  _py_rpartition: (text, mark) =>
    split(shown(text), shown(text).lastIndexOf(shown(mark)), shown(mark), "last"),
  _py_index: (text, part) => {
    const at = Array.isArray(text) ? text.indexOf(part) : shown(text).indexOf(shown(part));
    if (at === -1) throw new FilterFault(`doesn't find ${JSON.stringify(part)}`);
    return at;
  },
};

/** Maps a method's name in a template to its filter. */
export const bridgedMethods: ReadonlyMap<string, string> = new Map(
  Object.keys(pythonMethods).map((filter) => [filter.slice("_py_".length), filter]),
);

function pad(text: unknown, align: string, given: readonly unknown[]): string {
  const { width, fillchar } = namedArguments(given, "width", "fillchar");
  return padded(shown(text), wholeNumber(width, 0), align, fillchar === undefined ? " " : shown(fillchar));
}

function split(text: string, at: number, mark: string, missing: "first" | "last"): string[] {
  if (at === -1) return missing === "first" ? [text, "", ""] : ["", "", text];
  return [text.slice(0, at), mark, text.slice(at + mark.length)];
}
