/** Invisible characters, which an HTTP header can't contain. They may come from pasting a secret or reading it from a file. */
const unseen = /[\s\p{Cc}\p{Cf}]/u;
const unseenToTheEnd = /^[\s\p{Cc}\p{Cf}]+$/u;

/** Rules for a secret: at least 32 bytes, without white space and control characters. Nothing is trimmed. */
export const secretReading = {
  secret: true,
  read: (text: string) => (Buffer.byteLength(text) >= 32 && !unseen.test(text) ? text : undefined),
  expects: expected,
} as const;

function expected(text: string): string {
  const match = unseen.exec(text);
  if (match === null) return "at least 32 bytes; `openssl rand -base64 32` makes one";
  const [character] = match;
  return `without white space and control characters: there is ${nameOf(character)} ${placeOf(text, match.index)}`;
}

function placeOf(text: string, index: number): string {
  if (index === 0) return "at its start";
  return unseenToTheEnd.test(text.slice(index)) ? "at its end" : "inside";
}

function nameOf(character: string): string {
  if (character === "\n" || character === "\r") return "a line break";
  if (character === " ") return "a blank";
  if (character === "\t") return "a tab";
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
