import { Type } from "@sinclair/typebox";

/** Maximum of one amount: a million credits or US dollars. */
export const microsMax = 1_000_000_000_000;

/** An amount in whole micros. The maximum keeps sums within exact integers. */
export const Micros = (description: string) => Type.Integer({ minimum: 0, maximum: microsMax, description });

/** Formats micros as an exact decimal with at least two decimals: `1.50`, `0.000001`, `-0.25`, `0.0000375` for 37.5. */
export function microsDecimal(micros: number): string {
  const [whole = "", part = ""] = String(Math.abs(micros)).split(".");
  const digits = whole.padStart(7, "0");
  const fraction = digits.slice(-6) + part;
  const decimals = fraction.slice(0, 2) + fraction.slice(2).replace(/0+$/, "");
  return `${micros < 0 ? "-" : ""}${digits.slice(0, -6)}.${decimals}`;
}

/** A month in UTC. */
export const Month = Type.String({
  pattern: "^2[0-9]{3}-(0[1-9]|1[0-2])$",
  description: "UTC month, `YYYY-MM`.",
});

/** A day in UTC. */
export const Day = Type.String({
  pattern: "^2[0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$",
  description: "UTC day, `YYYY-MM-DD`.",
});

/** An instant. */
export const Instant = Type.String({
  maxLength: 40,
  description: "ISO 8601 timestamp with a time zone, such as `2026-03-10T12:00:00Z`.",
});
