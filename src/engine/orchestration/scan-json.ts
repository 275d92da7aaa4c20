import { parseJson } from "../models/providers/wire/json.ts";

/** What is read of a text. */
export type Text = Pick<string, "length" | "charCodeAt" | "slice">;

/** A bracket and its match, with those between them. */
interface Span {
  start: number;
  end: number;
  inner: readonly Span[];
}

/** A bracket without its match so far. */
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

/** What is shorter holds no text: `["a"]`. */
const charsMin = 5;
/** How often what stands inside brackets that are no JSON is looked through again; what keeps the effort linear. */
const levelsMax = 4;
/** What is tried of each level, from the last one back. */
const triesMax = 1000;

/**
 * The JSON objects and arrays in a text that may hold a text themselves, in their order, whatever stands around them: prose,
 * fences, brackets that are no JSON. Of very many, the last. Reads each character a bounded number of times.
 */
export function scanJson(text: Text): unknown[] {
  const found: { at: number; value: unknown }[] = [];
  let spans: readonly Span[] = matchBrackets(text);
  for (let level = 0; level < levelsMax && spans.length > 0; level++) {
    const unread: (readonly Span[])[] = [];
    for (const { start, end, inner } of spans.slice(-triesMax)) {
      const value = parseJson(text.slice(start, end));
      if (value === undefined) unread.push(inner);
      else found.push({ at: start, value });
    }
    spans = unread.flat();
  }
  return found.sort((a, b) => a.at - b.at).map(({ value }) => value);
}

/** The outermost brackets that have a match. One without a match is passed over, and so is what looks like one in a string. */
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
  // Nothing closes these any more: what stands in them is as good as outside.
  for (const { inner = none } of open) for (const span of inner) outermost.push(span);
  return outermost;
}

function closerOf(code: number): number | undefined {
  if (code === OPEN_BRACKET) return CLOSE_BRACKET;
  return code === OPEN_BRACE ? CLOSE_BRACE : undefined;
}
