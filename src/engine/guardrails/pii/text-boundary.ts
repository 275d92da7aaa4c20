/** Returns true if the character continues a word in a script with spaces between words. Han, Kana, Thai and others have none. */
export function isWordCharacter(character: string | undefined): boolean {
  if (character === undefined) return false;
  if (character < "\u0080") return /[A-Za-z0-9_]/.test(character);
  return /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Nd}]/u.test(character);
}

/** Returns true if the number in `[start, end)` is separate: not part of a word, an id, a version, a path, a price or a time. */
export function standsAlone(text: string, start: number, end: number): boolean {
  return beginsAlone(text, start) && endsAlone(text, end);
}

function beginsAlone(text: string, start: number): boolean {
  const before = text[start - 1];
  if (before === undefined) return true;
  if (isWordCharacter(before) || "#$€£+".includes(before)) return false;
  if ((before === "-" || before === ".") && isWordCharacter(text[start - 2])) return false;
  return !(before === "/" && /[A-Za-z]/.test(text[start - 2] ?? ""));
}

/** The part of `standsAlone` that checks the following text. */
export function endsAlone(text: string, end: number): boolean {
  const after = text[end];
  if (after === undefined) return true;
  if (isWordCharacter(after) || after === "@" || after === "%") return false;
  return !"-.:".includes(after) || !isWordCharacter(text[end + 1]);
}
