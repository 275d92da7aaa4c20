/**
 * Encodes a text for PostgreSQL in the same sort order. PostgreSQL has no NUL, so U+0000 and U+0001 become two characters each. A lone
 * surrogate becomes U+FFFD.
 */
export function toPostgresText(text: string): string {
  const whole = text.toWellFormed();
  return whole.includes(mark) || whole.includes("\0")
    ? whole.replaceAll(mark, escapedMark).replaceAll("\0", escapedNul)
    : whole;
}

/** Decodes the result of `toPostgresText`. */
export function fromPostgresText(text: string): string {
  return text.includes(mark) ? text.replaceAll(escapedNul, "\0").replaceAll(escapedMark, mark) : text;
}

const mark = "\u0001";
const escapedNul = "\u0001\u0001";
const escapedMark = "\u0001\u0002";
