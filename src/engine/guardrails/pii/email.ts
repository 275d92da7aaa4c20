import type { TextSpan } from "./phone-number.ts";

const LOCAL_MAX = 64;
/** Less than the protocol's 255, so that a whole address fits into the text that a stream may hold back. */
const DOMAIN_MAX = 180;

/** Endings of file names that look like domains (`logo@2x.png`). */
const fileEndings = new Set([
  "png",
  "jpg",
  "jpeg",
  "gif",
  "svg",
  "webp",
  "pdf",
  "css",
  "js",
  "ts",
  "json",
  "html",
  "xml",
  "yaml",
  "yml",
]);

/**
 * First e-mail address of `text` that begins at `from` or later. It does not reach back before `free`, the end of the previous match.
 * Searches a bounded range around each `@`.
 */
export function nextEmail(text: string, from: number, free: number): TextSpan | undefined {
  for (let at = text.indexOf("@", from); at !== -1; at = text.indexOf("@", at + 1)) {
    const start = localStart(text, at, free);
    const end = start === undefined || start < from ? undefined : domainEnd(text, at + 1);
    if (start === undefined || end === undefined) continue;
    // git@host:path names a repository
    if (text.slice(start, at) !== "git" || text[end] !== ":") return { start, end };
  }
  return undefined;
}

function localStart(text: string, at: number, from: number): number | undefined {
  // In a script without spaces, an address would include the words before it, so it ends where Latin begins.
  const inLatin = isLatin(text[at - 1]);
  let start = at;
  while (start > from && at - start <= LOCAL_MAX && isLocal(text[start - 1], inLatin)) start--;
  if (at - start > LOCAL_MAX || text[at - 1] === ".") return undefined;
  while (start < at && !isLetterOrDigit(text[start]) && text[start] !== "_") start++;
  return start < at ? start : undefined;
}

function domainEnd(text: string, start: number): number | undefined {
  const inLatin = isLatin(text[start]);
  let end: number | undefined;
  let label = start;
  for (let at = start; at <= start + DOMAIN_MAX; at++) {
    const character = text[at];
    if (isLetterOrDigit(character) && (!inLatin || isLatin(character))) continue;
    if (character === "-" && at > label) continue;
    const last = text.slice(label, at).replace(/-+$/, "");
    if (label > start && isTopLevel(last)) end = label + last.length;
    if (character !== "." || at === label) return end;
    label = at + 1;
  }
  return undefined;
}

function isTopLevel(label: string): boolean {
  return label.length >= 2 && !/^\d/.test(label) && !fileEndings.has(label.toLowerCase());
}

function isLocal(character: string | undefined, inLatin: boolean): boolean {
  if (character === undefined) return false;
  if (character < "\u0080") return /[A-Za-z0-9._%+'!#$&*~^-]/.test(character);
  return isLetterOrDigit(character) && (!inLatin || isLatin(character));
}

function isLatin(character: string | undefined): boolean {
  if (character === undefined) return false;
  return character < "\u0080" ? /[A-Za-z0-9._-]/.test(character) : /\p{Script=Latin}/u.test(character);
}

function isLetterOrDigit(character: string | undefined): boolean {
  if (character === undefined) return false;
  return character < "\u0080" ? /[A-Za-z0-9]/.test(character) : /[\p{L}\p{M}\p{N}]/u.test(character);
}

/** Returns true if the character may be part of an address, before or after its `@`. */
export function isEmailCharacter(character: string): boolean {
  return character === "@" || isLocal(character, false);
}
