/*
 * Text from outside may contain characters that people do not see and a model reads: tags that spell words, characters without width in a
 * meaningful order, marks that turn the direction of writing. Such a character stays where readers need it: joined emoji, flags of regions,
 * letters of scripts that join, marks beside words that are written from right to left.
 */

/** Characters that need a check; all others stay. */
const suspects = /[^\P{Cc}\t\n\r]|\p{Cf}|\p{Co}|\p{Cs}|\p{Zl}|\p{Zp}|\p{Default_Ignorable_Code_Point}/u;

const hidden = /\p{Cc}|\p{Cf}|\p{Co}|\p{Cs}|\p{Default_Ignorable_Code_Point}|\p{Zl}|\p{Zp}/u;

/** Removes the characters that a reader does not see; returns the same string if there are none. */
export function visibleText(text: string): string {
  if (!suspects.test(text)) return text;
  const characters = Array.from(text);
  const parts: string[] = [];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] as string;
    const flag = character === flagBase ? regionFlag(characters, at) : undefined;
    if (flag !== undefined) {
      parts.push(...flag);
      at += flag.length - 1;
    } else if (!hidden.test(character)) parts.push(character);
    else parts.push(readable(character, parts.at(-1) ?? "", characters[at + 1] ?? ""));
  }
  return parts.join("");
}

/** Returns the visible effect of a hidden character: itself, a line break, or nothing. */
function readable(character: string, before: string, after: string): string {
  switch (character) {
    case "\n":
    case "\t":
    case "\r":
      return character;
    case "\u2028":
    case "\u2029":
      return "\n";
    case "\u200d":
      return joinsEmoji(before, after) || joinsLetters(before, after) ? character : "";
    case "\u200c":
      return joinsLetters(before, after) ? character : "";
    case "\u200e":
    case "\u200f":
    case "\u061c":
      return rightToLeft.test(before) || rightToLeft.test(after) ? character : "";
    case "\u180e":
      return "";
    default:
      return choosesShape(character, before) || formatsNumbers.test(character) ? character : "";
  }
}

const flagBase = "\u{1f3f4}";

/** Returns a black flag, the letters of a region as tags, and their end; undefined if the tags spell anything longer. */
function regionFlag(characters: readonly string[], at: number): string[] | undefined {
  const tags: string[] = [flagBase];
  while (/^[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]$/u.test(characters[at + tags.length] ?? "")) {
    tags.push(characters[at + tags.length] as string);
  }
  const isEnded = characters[at + tags.length] === "\u{e007f}";
  return isEnded && tags.length >= 4 && tags.length <= 7 ? [...tags, "\u{e007f}"] : undefined;
}

const emoji = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}/u;
/** Scripts whose letters change with their neighbours. */
const joining =
  /\p{scx=Arab}|\p{scx=Syrc}|\p{scx=Mong}|\p{scx=Nkoo}|\p{scx=Deva}|\p{scx=Beng}|\p{scx=Guru}|\p{scx=Gujr}|\p{scx=Orya}|\p{scx=Taml}|\p{scx=Telu}|\p{scx=Knda}|\p{scx=Mlym}|\p{scx=Sinh}|\p{scx=Khmr}|\p{scx=Mymr}|\p{scx=Tibt}/u;
const rightToLeft =
  /\p{sc=Hebr}|\p{sc=Arab}|\p{sc=Syrc}|\p{sc=Thaa}|\p{sc=Nkoo}|\p{sc=Samr}|\p{sc=Mand}|\p{sc=Adlm}/u;
/** Signs before numbers in Arabic, Syriac and Kaithi, and marks of verses. They are visible. */
const formatsNumbers = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/u;

function joinsEmoji(before: string, after: string): boolean {
  return (emoji.test(before) || before === "\ufe0f") && emoji.test(after);
}

function joinsLetters(before: string, after: string): boolean {
  return isJoining(before) && (isJoining(after) || after === "" || /^[\s\p{P}]$/u.test(after));
}

function isJoining(character: string): boolean {
  return joining.test(character) && !hidden.test(character);
}

/** Returns true for one selector after a character with several shapes. A row of selectors could spell anything. */
function choosesShape(character: string, before: string): boolean {
  if (/^[\ufe00-\ufe0f]$/.test(character)) {
    return /\p{Emoji}|\p{S}|\p{sc=Han}|\p{P}|\p{sc=Mymr}|\p{sc=Phag}/u.test(before) && !hidden.test(before);
  }
  if (/^[\u{e0100}-\u{e01ef}]$/u.test(character)) return /\p{sc=Han}/u.test(before);
  return /^[\u180b-\u180d\u180f]$/.test(character) && /\p{sc=Mong}/u.test(before);
}
