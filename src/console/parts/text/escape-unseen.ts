/**
 * Characters that have no glyph, end a line, or change the direction of others (controls, formats, separators, halves of pairs), and marks on
 * a letter that has four already.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?<=\p{M}{4})\p{M}/gu;

/** Returns the text with those characters as JSON escapes, such as `\u202e`. JSON keeps its value. */
export const escapeUnseen = (text: string): string =>
  text.replace(unseen, (found) =>
    Array.from({ length: found.length }, (_, at) => escaped(found.charCodeAt(at))).join(""),
  );

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, "0")}`;
