import { locale } from "./locale.ts";

const parts = new Intl.NumberFormat(locale).formatToParts(-12345.6);
const signOf = (type: Intl.NumberFormatPartTypes, usual: string): string =>
  parts.find((part) => part.type === type)?.value ?? usual;
const group = signOf("group", ",");
const decimal = signOf("decimal", ".");

/**
 * Returns a number of the page as a spreadsheet reads it: `$1,250.50` as `1250.50`. Any other text stays as it is. A negative one is a number,
 * because a file marks a text that begins with a minus as no formula.
 */
export function plainNumber(text: string): string | number {
  const digits = text.replaceAll(/[\s\u00a0\u202f$]/g, "").replaceAll(group, "");
  const plain = (decimal === "." ? digits : digits.replace(decimal, ".")).replace("−", "-");
  if (!/^-?\d+(?:\.\d+)?$/.test(plain)) return text;
  return plain.startsWith("-") ? Number(plain) : plain;
}
