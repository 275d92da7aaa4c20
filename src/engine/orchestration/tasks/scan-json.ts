import { parseJson } from "../../../kit/json/parse-json.ts";

/** Text that can be scanned. */
export type Text = Pick<string, "length" | "charCodeAt" | "slice">;

/** A bracket and its match, with the pairs between them. */
interface Span {
  start: number;
  end: number;
  inner: readonly Span[];
}

/** A bracket that has no match yet. */
interface OpenBracket {
  start: number;
  closer: number;
  inner: Span[] | undefined;
}

const none: readonly Span[] = [];
const QUOTE = 34;
const BACKSLASH = 92;
const NEWLINE = 10;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** Shorter JSON contains no text: `["a"]` has five characters. */
const charsMin = 5;
/** Maximum nesting of brackets that are not JSON but are searched for inner JSON, which keeps the scan linear. */
const levelsMax = 4;
/** Maximum parse attempts per level, from the last one back. */
const triesMax = 1000;

/**
 * The JSON objects and arrays in a text, in order; prose, fences and other brackets around them are ignored. Skips those too short to
 * contain a text. If there are too many, returns the last ones. Reads each character a bounded number of times.
 */
export function scanJson(text: Text): unknown[] {
  const values: { at: number; value: unknown }[] = [];
  let spans: readonly Span[] = matchBrackets(text);
  for (let level = 0; level < levelsMax && spans.length > 0; level++) {
    const unread: (readonly Span[])[] = [];
    for (const { start, end, inner } of spans.slice(-triesMax)) {
      const value = parseJson(text.slice(start, end));
      if (value === undefined) unread.push(inner);
      else values.push({ at: start, value });
    }
    spans = unread.flat();
  }
  return values.sort((a, b) => a.at - b.at).map(({ value }) => value);
}

/** The outermost pairs of brackets. Unmatched brackets and brackets in strings are ignored. */
function matchBrackets(text: Text): Span[] {
  const outermost: Span[] = [];
  const open: OpenBracket[] = [];
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isString) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE || code === NEWLINE) isString = false;
      continue;
    }
    const closer = closerOf(code);
    const last = open.at(-1);
    if (closer !== undefined) open.push({ start: at, closer, inner: undefined });
    else if (last === undefined) continue;
    else if (code === QUOTE) isString = true;
    else if (code === last.closer) {
      open.pop();
      if (at - last.start < charsMin - 1) continue;
      const span = { start: last.start, end: at + 1, inner: last.inner ?? none };
      const around = open.at(-1);
      if (around === undefined) outermost.push(span);
      else if (around.inner === undefined) around.inner = [span];
      else around.inner.push(span);
    }
  }
  // These brackets are never closed, so their inner pairs count as outermost.
  for (const { inner = none } of open) for (const span of inner) outermost.push(span);
  return outermost;
}

function closerOf(code: number): number | undefined {
  if (code === OPEN_BRACKET) return CLOSE_BRACKET;
  return code === OPEN_BRACE ? CLOSE_BRACE : undefined;
}
