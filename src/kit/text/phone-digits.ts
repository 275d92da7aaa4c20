/** Returns the digits of a phone number, with or without `+`, spaces, hyphens, dots and parentheses; undefined if the text is none. */
export function phoneDigits(text: string): string | undefined {
  const digits = text
    .slice(0, 64)
    .replace(/[\s().-]/g, "")
    .replace(/^\+/, "");
  return /^\d{3,20}$/.test(digits) ? digits : undefined;
}
