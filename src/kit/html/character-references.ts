import references from "./named-references.txt" with { type: "text" };

interface Reference {
  text: string;
  /** True if the reference is valid without its semicolon, like the oldest names. */
  isBare: boolean;
}

interface Found {
  text: string;
  end: number;
}

const nameLengthMax = 31;
const bareLengthMax = 6;
const replacement = "\ufffd";

/** Encoding of number references from 128 to 159: many pages mean windows-1252 where Unicode has control characters. */
const windows1252 = new TextDecoder("windows-1252");

let named: ReadonlyMap<string, Reference> | undefined;

/**
 * Replaces the character references (`&amp;`, `&#38;`) of a text, with all names of the HTML Standard. Anything else stays unchanged. Takes
 * time linear in the length of the text.
 */
export function decodeReferences(text: string, place: "text" | "attribute" = "text"): string {
  let ampersand = text.indexOf("&");
  if (ampersand === -1) return text;
  const parts: string[] = [];
  let copied = 0;
  while (ampersand !== -1) {
    const found = referenceAt(text, ampersand + 1, place);
    if (found !== undefined) {
      parts.push(text.slice(copied, ampersand), found.text);
      copied = found.end;
    }
    ampersand = text.indexOf("&", found?.end ?? ampersand + 1);
  }
  parts.push(text.slice(copied));
  return parts.join("");
}

function referenceAt(text: string, at: number, place: "text" | "attribute"): Found | undefined {
  return text.charCodeAt(at) === 0x23 ? numberAt(text, at + 1) : nameAt(text, at, place);
}

/** Reads at most as many characters as the longest name has. */
function nameAt(text: string, at: number, place: "text" | "attribute"): Found | undefined {
  let end = at;
  while (end - at <= nameLengthMax && isAlphanumeric(text.charCodeAt(end))) end++;
  if (end === at) return undefined;
  named ??= readNames();
  if (text.charCodeAt(end) === 0x3b) {
    const whole = named.get(text.slice(at, end));
    if (whole !== undefined) return { text: whole.text, end: end + 1 };
  }
  for (let length = Math.min(end - at, bareLengthMax); length >= 2; length--) {
    const bare = named.get(text.slice(at, at + length));
    if (bare?.isBare !== true) continue;
    // In an address such as `?a=1&copy=2`, `copy` is the name of a parameter.
    const next = text.charCodeAt(at + length);
    const isParameter = place === "attribute" && (next === 0x3d || isAlphanumeric(next));
    return isParameter ? undefined : { text: bare.text, end: at + length };
  }
  return undefined;
}

function numberAt(text: string, at: number): Found | undefined {
  const isHex = (text.charCodeAt(at) | 0x20) === 0x78;
  const base = isHex ? 16 : 10;
  const start = isHex ? at + 1 : at;
  let end = start;
  let code = 0;
  for (;;) {
    const digit = digitOf(text.charCodeAt(end), base);
    if (digit === undefined) break;
    code = Math.min(code * base + digit, 0x110000);
    end++;
  }
  if (end === start) return undefined;
  return { text: characterOf(code), end: text.charCodeAt(end) === 0x3b ? end + 1 : end };
}

function characterOf(code: number): string {
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return replacement;
  if (code >= 0x80 && code <= 0x9f) return windows1252.decode(Uint8Array.of(code));
  return String.fromCodePoint(code);
}

function digitOf(code: number, base: number): number | undefined {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return base === 16 && letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : undefined;
}

function isAlphanumeric(code: number): boolean {
  const letter = code | 0x20;
  return (code >= 0x30 && code <= 0x39) || (letter >= 0x61 && letter <= 0x7a);
}

/** Reads the list. A line is a name, `*` if it is valid without its semicolon, and its code points. */
function readNames(): ReadonlyMap<string, Reference> {
  const names = new Map<string, Reference>();
  for (const line of references.trimEnd().split("\n")) {
    const [name = "", codes = ""] = line.split(" ");
    const isBare = name.endsWith("*");
    const points = codes.split(",").map((code) => Number.parseInt(code, 16));
    names.set(isBare ? name.slice(0, -1) : name, { text: String.fromCodePoint(...points), isBare });
  }
  return names;
}
