/** Returns the digits of a phone number, with or without `+`, spaces, hyphens, dots and parentheses; undefined if the text is none. */
export function phoneDigits(text: string): string | undefined {
  const digits = text
    .slice(0, 64)
    .replace(/[\s().-]/g, "")
    .replace(/^\+/, "");
  return /^\d{3,20}$/.test(digits) ? digits : undefined;
}

/** Digits by which a written number is searched: without the prefixes of calls abroad (`00`) and at home (`0`, `(0)`). */
export const searchedDigits = (text: string): string | undefined =>
  phoneDigits(phoneDigits(text.replace("(0)", ""))?.replace(/^0+/, "") ?? "");
