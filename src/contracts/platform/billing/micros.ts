// Without schemas, whose library is more than the rest of a console page.

/** Maximum of one amount: a million credits or US dollars. */
export const microsMax = 1_000_000_000_000;

/** Formats micros as an exact decimal with at least two decimals: `1.50`, `0.000001`, `-0.25`, `0.0000375` for 37.5. */
export function microsDecimal(micros: number): string {
  const [whole = "", part = ""] = String(Math.abs(micros)).split(".");
  const digits = whole.padStart(7, "0");
  const fraction = digits.slice(-6) + part;
  const decimals = fraction.slice(0, 2) + fraction.slice(2).replace(/0+$/, "");
  return `${micros < 0 ? "-" : ""}${digits.slice(0, -6)}.${decimals}`;
}
