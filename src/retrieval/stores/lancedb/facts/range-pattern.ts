import { encodeCodePoint, factMarks } from "./fact-text.ts";

/** One bound of a range. */
export interface Bound {
  /** As encoded in facts, up to their maximum length. */
  characters: readonly number[];
  inclusive: boolean;
  /** True if the bound is only the beginning of a longer text. Values that were cut there count as within. */
  isCut?: boolean;
}

export interface Range {
  from?: Bound | undefined;
  to?: Bound | undefined;
}

/**
 * A regular expression (Rust syntax) for the beginnings of all encoded values in the range, by code point; undefined if there are none. A
 * cut value sorts after the text that is left of it, as the full value does.
 */
export function rangePattern({ from, to }: Range): string | undefined {
  if (from === undefined && to === undefined) return "";
  const alternatives =
    from === undefined ? below("", to as Bound) : to === undefined ? above("", from) : between(from, to);
  return alternatives.length === 0 ? undefined : `(?:${alternatives.join("|")})`;
}

const { end, cut } = factMarks;
const lastCodePoint = 0x10ffff;

/** Values that begin with `prefix` and continue above the bound. */
function above(prefix: string, { characters, inclusive }: Bound): string[] {
  const alternatives: string[] = [];
  let begun = prefix;
  for (const character of characters) {
    alternatives.push(...followed(begun, characterClass(character + 1, lastCodePoint)));
    begun += literal(character);
  }
  // Any character except the end mark follows.
  alternatives.push(`${begun}[^${end}]`);
  if (inclusive) alternatives.push(begun + end);
  return alternatives;
}

/** Values that begin with `prefix` and continue below the bound. */
function below(prefix: string, { characters, inclusive, isCut = false }: Bound): string[] {
  const alternatives: string[] = [];
  let begun = prefix;
  for (const character of characters) {
    alternatives.push(begun + end, ...followed(begun, characterClass(0, character - 1)));
    begun += literal(character);
  }
  return [...alternatives, ...atBound(begun, inclusive, isCut)];
}

/** Matches for a value equal to the bound. */
const atBound = (begun: string, inclusive: boolean, isCut: boolean) => [
  ...(inclusive ? [begun + end] : []),
  ...(isCut ? [begun + cut] : []),
];

function between(from: Bound, to: Bound): string[] {
  let common = 0;
  while (common < from.characters.length && from.characters[common] === to.characters[common]) common++;
  const prefix = from.characters.slice(0, common).map(literal).join("");
  const [first, last] = [from.characters[common], to.characters[common]];
  if (first === undefined && last === undefined)
    return atBound(prefix, from.inclusive && to.inclusive, to.isCut ?? false);
  if (last === undefined) return [];
  const afterLast = { ...to, characters: to.characters.slice(common + 1) };
  if (first === undefined) {
    // The common beginning is the lower bound itself, and only `from` can exclude it.
    const longer = followed(prefix, characterClass(0, last - 1));
    const upTo = below(prefix + literal(last), afterLast);
    return [...(from.inclusive ? [prefix + end] : []), ...longer, ...upTo];
  }
  if (first > last) return [];
  const afterFirst = { ...from, characters: from.characters.slice(common + 1) };
  return [
    ...followed(prefix, characterClass(first + 1, last - 1)),
    ...above(prefix + literal(first), afterFirst),
    ...below(prefix + literal(last), afterLast),
  ];
}

const followed = (begun: string, characters: string | undefined) =>
  characters === undefined ? [] : [begun + characters];

/** Pattern for one encoded character in a range; undefined if the range is empty. */
function characterClass(first: number, last: number): string | undefined {
  const parts: string[] = [];
  if (first <= lastControl && first <= last) {
    // The escape mark, then a letter.
    const letters = [first, Math.min(last, lastControl)].map((code) => encodeCodePoint(code).charCodeAt(1));
    parts.push(`\\x{1f}[${hex(letters[0])}-${hex(letters[1])}]`);
  }
  for (const [low, high] of withoutSurrogates(Math.max(first, lastControl + 1), last))
    parts.push(`[${hex(low)}-${hex(high)}]`);
  return parts.length === 0 ? undefined : `(?:${parts.join("|")})`;
}

const lastControl = 0x1f;

/** Lone surrogates are not characters, and Rust's character classes must not contain them. */
function withoutSurrogates(first: number, last: number): [number, number][] {
  const parts: [number, number][] = [
    [first, Math.min(last, 0xd7ff)],
    [Math.max(first, 0xe000), last],
  ];
  return parts.filter(([low, high]) => low <= high);
}

/** Escapes a character for a pattern. */
function literal(codePoint: number): string {
  return [...encodeCodePoint(codePoint)].map((character) => hex(character.codePointAt(0))).join("");
}

const hex = (codePoint = 0) => `\\x{${codePoint.toString(16)}}`;
