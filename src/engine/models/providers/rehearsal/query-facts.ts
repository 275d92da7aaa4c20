import { parseJson } from "../../../../kit/json/parse-json.ts";
/** Values in a text that can become arguments. Each is used by one argument only. */
export interface QueryFacts {
  readonly text: string;
  urls: string[];
  emails: string[];
  /** Texts between quotation marks. */
  quotes: string[];
  numbers: number[];
  dates: string[];
  /** Identifiers of letters and digits, as articles, orders and tickets have them: `A-100`. */
  codes: string[];
  /** Objects and arrays written as JSON. */
  json: unknown[];
  /** Values of enumerations already used by an argument. */
  taken: Set<unknown>;
}

const textCharsMax = 4000;

export function readFacts(query: string): QueryFacts {
  const text = query.slice(0, textCharsMax).replace(/\s+/g, " ");
  const { values, rest } = findJson(text);
  return {
    text,
    urls: (text.match(/https?:\/\/[^\s"'<>)]+/g) ?? []).map((url) => url.replace(/[.,;!?]+$/, "")),
    emails: text.match(/(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g) ?? [],
    quotes: Array.from(rest.matchAll(/"([^"]+)"|“([^”]+)”|'([^']+)'(?!\w)|`([^`]+)`/g), (match) =>
      String(match.slice(1).find((part) => part !== undefined)),
    ),
    numbers: (rest.replace(/https?:\/\/\S+/g, " ").match(/(?<![\w.])-?\d+(?:\.\d+)?(?![\w])/g) ?? []).map(
      Number,
    ),
    dates: text.match(/\b\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2})?)?\b/g) ?? [],
    codes: codesIn(rest),
    json: values,
    taken: new Set(),
  };
}

/** Counts, times and measures: `3pm`, `2nd`, `10kg`. */
const measured = /^\d+(?:st|nd|rd|th|[ap]m|[a-z]{1,3})$/i;

/** Words that have letters and digits, and a capital letter or a hyphen among them. */
function codesIn(text: string): string[] {
  const words =
    text.replace(/https?:\/\/\S+|\S+@\S+/g, " ").match(/[\p{L}\p{N}]+(?:[-_/.#][\p{L}\p{N}]+)*/gu) ?? [];
  return words.filter(
    (word) =>
      /\d/.test(word) &&
      /\p{L}/u.test(word) &&
      /[\p{Lu}_-]/u.test(word) &&
      !measured.test(word) &&
      !/^\d{4}-\d{2}-\d{2}T/.test(word),
  );
}

const jsonTriesMax = 20;

/** The outermost valid JSON objects and arrays in a text, and the text without them. The number of attempts is bounded. */
function findJson(text: string): { values: unknown[]; rest: string } {
  const values: unknown[] = [];
  let rest = "";
  let copied = 0;
  let tries = 0;
  for (let at = 0; at < text.length && tries < jsonTriesMax; at++) {
    if (text[at] !== "{" && text[at] !== "[") continue;
    tries++;
    const end = closingOf(text, at);
    const value = end === undefined ? undefined : parseJson(text.slice(at, end + 1));
    if (end === undefined || value === undefined) continue;
    values.push(value);
    rest += `${text.slice(copied, at)} `;
    copied = end + 1;
    at = end;
  }
  return { values, rest: rest + text.slice(copied) };
}

/** Position of the bracket that closes the one at `start`, ignoring brackets in strings; undefined if there is none. */
function closingOf(text: string, start: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (inString) {
      if (char === "\\") at++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{" || char === "[") depth++;
    else if ((char === "}" || char === "]") && --depth === 0) return at;
  }
  return undefined;
}
