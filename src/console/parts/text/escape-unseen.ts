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

/** Joiners that belong to the writing: in emoji, and in scripts whose letters they shape. */
const joiner =
  /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|(?![\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}])[\p{L}\p{M}])[\u200c\u200d]/u;
const joinerOrUnseen = new RegExp(`(${joiner.source})|${unseen.source}`, "gu");

/** Like `escapeUnseen`, for people's names: keeps the joiners that emoji and some scripts need. */
export const escapeUnseenName = (name: string): string =>
  name.replace(joinerOrUnseen, (found, joins?: string) => joins ?? escapeUnseen(found));
