import {
  FILTER_TEXT_MAX,
  type Filter,
  FilterFault,
  namedArguments,
  pythonRepr,
  shown,
  wholeNumber,
} from "./filter-arguments.ts";
import { padded, percentFormat } from "./python-format.ts";

/** Jinja2 filters that minijinja lacks or implements differently; semantics of Jinja2 3.1. */
export const jinjaFilters: Readonly<Record<string, Filter>> = {
  tojson(value, ...given) {
    const { indent } = namedArguments(given, "indent");
    return htmlSafeJson(value, indent === undefined ? 0 : wholeNumber(indent, 0));
  },
  truncate(value, ...given) {
    const {
      length,
      killwords,
      end = "...",
      leeway,
    } = namedArguments(given, "length", "killwords", "end", "leeway");
    const characters = [...shown(value)];
    const limit = wholeNumber(length, 255);
    if (characters.length <= limit + wholeNumber(leeway, 5)) return shown(value);
    const cut = characters.slice(0, Math.max(0, limit - [...shown(end)].length)).join("");
    const space = killwords ? -1 : cut.lastIndexOf(" ");
    return (space === -1 ? cut : cut.slice(0, space)) + shown(end);
  },
  wordcount: (value) => shown(value).match(/[\p{L}\p{N}_]+/gu)?.length ?? 0,
  urlencode(value) {
    if (typeof value === "string") return quoted(value).replaceAll("%2F", "/");
    if (!(value instanceof Map) && !Array.isArray(value)) return quoted(shown(value));
    const pairs = [...value].map((pair) => (Array.isArray(pair) ? pair : [pair, ""]));
    return pairs
      .map((pair) => pair.map((part) => quoted(shown(part)).replaceAll("%20", "+")).join("="))
      .join("&");
  },
  format: (value, ...given) => percentFormat(shown(value), given),
  center: (value, ...given) =>
    padded(shown(value), wholeNumber(namedArguments(given, "width").width, 80), "^"),
  wordwrap(value, ...given) {
    const names = ["width", "break_long_words", "wrapstring", "break_on_hyphens"];
    const { width, break_long_words, wrapstring = "\n", break_on_hyphens } = namedArguments(given, ...names);
    const columns = wholeNumber(width, 79);
    if (columns < 1) throw new FilterFault("needs a width of at least 1");
    const wrap = (line: string) =>
      wrapped(line, columns, break_long_words !== false, break_on_hyphens !== false);
    return shown(value)
      .split(/\r\n|\r|\n/)
      .flatMap(wrap)
      .join(shown(wrapstring));
  },
  pprint: (value) => pythonRepr(sorted(value)),
  xmlattr(value, ...given) {
    const { autospace } = namedArguments(given, "autospace");
    const entries = value instanceof Map ? [...value] : [];
    const attributes = entries
      .filter(([, item]) => item !== undefined)
      .map(([name, item]) => {
        if (/[\s/>=]/.test(shown(name)))
          throw new FilterFault(`refuses the attribute name ${JSON.stringify(name)}`);
        return `${escaped(shown(name))}="${escaped(shown(item))}"`;
      });
    return (autospace === false || attributes.length === 0 ? "" : " ") + attributes.join(" ");
  },
  random(value) {
    const items = Array.isArray(value) ? value : value instanceof Map ? [...value.keys()] : [...shown(value)];
    return items[Math.floor(Math.random() * items.length)];
  },
  forceescape: (value) => escaped(shown(value)),
  // Filters that `escapeForJson` adds to printed values: inside a JSON string, as a value, and for the template's own text.
  _json_text: (value) =>
    JSON.stringify(typeof value === "string" ? value : jsonText(value, 0, "\n")).slice(1, -1),
  _json_value: (value) => jsonText(value, 0, "\n"),
  _json_own: (value) =>
    typeof value === "string" ? value : value === undefined ? "" : jsonText(value, 0, "\n"),
};

/** JSON as Jinja2 writes it: sorted keys, ASCII only, and no characters that could end a script or an attribute. */
function htmlSafeJson(value: unknown, indent: number): string {
  const text = jsonText(value, Math.min(indent, 16), "\n");
  return text.replace(/[\u0080-\uffff<>&']/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function jsonText(value: unknown, indent: number, line: string): string {
  const inner = line + " ".repeat(indent);
  const enclosed = (open: string, items: string[], close: string) => {
    if (items.length === 0) return open + close;
    return indent > 0
      ? open + inner + items.join(`,${inner}`) + line + close
      : open + items.join(", ") + close;
  };
  if (Array.isArray(value))
    return enclosed(
      "[",
      value.map((item) => jsonText(item, indent, inner)),
      "]",
    );
  if (value instanceof Map) {
    const entries = [...(sorted(value, "here") as Map<unknown, unknown>)];
    return enclosed(
      "{",
      entries.map(([key, item]) => `${JSON.stringify(shown(key))}: ${jsonText(item, indent, inner)}`),
      "}",
    );
  }
  if (typeof value === "bigint") return String(value);
  return value === undefined ? "null" : JSON.stringify(value);
}

/** The value with the keys of its maps sorted. */
function sorted(value: unknown, depth: "here" | "deep" = "deep"): unknown {
  if (Array.isArray(value)) return value.map((item) => sorted(item));
  if (!(value instanceof Map)) return value;
  const entries = [...value].sort(([a], [b]) => (shown(a) < shown(b) ? -1 : shown(a) > shown(b) ? 1 : 0));
  return new Map(depth === "here" ? entries : entries.map(([key, item]) => [key, sorted(item)]));
}

function quoted(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** Wraps a line to at most `width` characters, at spaces, then hyphens, then anywhere. */
function wrapped(line: string, width: number, breakWords: boolean, breakHyphens: boolean): string[] {
  const chunks = line
    .split(/(\s+)/)
    .flatMap((word) => (breakHyphens ? word.split(/(?<=[\p{L}]-)(?=\p{L})/u) : [word]));
  const lines: string[] = [];
  let current = "";
  for (let chunk of chunks) {
    if (current.length + chunk.length > width) {
      if (current.trim()) lines.push(current.trimEnd());
      current = "";
      if (!chunk.trim()) continue;
      while (breakWords && chunk.length > width) {
        lines.push(chunk.slice(0, width));
        chunk = chunk.slice(width);
      }
    }
    current += chunk;
  }
  if (current.trim() || lines.length === 0) lines.push(current.trimEnd());
  if (lines.length > FILTER_TEXT_MAX) throw new FilterFault("would make a text that is too long");
  return lines;
}
