import { AppError } from "../../kit/app-error.ts";

/** Wraps a column's encoder so that null passes. Drizzle's types do not say so, but a prepared statement's null comes here too. */
export const encoder =
  <Value, Stored>(encode: (value: Value) => Stored) =>
  (value: Value): Stored =>
    value === null ? (value as never) : encode(value);

/** Returns an integer that a double represents exactly; refuses any other number before it reaches the database. */
export function exactInteger(value: number): number {
  if (Number.isSafeInteger(value)) return value;
  throw new AppError("invalid", "number_not_representable", `${value} is not an integer within ±(2^53-1).`);
}

/** Returns a finite number; NaN and the infinities differ between the engines. */
export function finiteNumber(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new AppError(
    "invalid",
    "number_not_representable",
    `${value} can't be stored: it is not a finite number.`,
  );
}

/** Returns an instant of the years 1 to 9999, the range of both engines and of ISO 8601 with four digits. */
export function storableInstant(value: Date): Date {
  const year = value.getUTCFullYear();
  if (year >= 1 && year <= 9999) return value;
  throw new AppError(
    "invalid",
    "instant_not_representable",
    "The instant is not valid or outside the years 1 to 9999.",
  );
}

/**
 * `\u0000` and lone surrogates, which `JSON.stringify` always writes as escapes. With an even number of backslashes before the `u`, it is
 * text.
 */
const unstorableEscape = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/;

/** Returns the JSON text of `value`. On both engines, refuses values that PostgreSQL's jsonb cannot hold. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value);
  if (text === undefined)
    throw new AppError("internal", "json_not_representable", "The value has no JSON form.");
  if (text.includes("\\u") && unstorableEscape.test(text)) throw unstorableText();
  return text;
}

/** On both engines, refuses text that PostgreSQL cannot hold (NUL) or UTF-8 cannot encode (a lone surrogate). */
export function refuseUnstorableText(parameters: readonly unknown[]): void {
  for (const value of parameters) {
    if (typeof value === "string" && (value.includes("\0") || !value.isWellFormed())) throw unstorableText();
  }
}

/** Replaces each character of `text` that cannot be stored by U+FFFD, for the output of models and tools. */
export function storableText(text: string): string {
  return text.includes("\0") ? text.toWellFormed().replaceAll("\0", "\u{fffd}") : text.toWellFormed();
}

/** Replaces each character that cannot be stored by U+FFFD in every string of `value`, keys included. */
export function storableJson<T>(value: T): T {
  const text = JSON.stringify(value);
  if (text === undefined || !text.includes("\\u") || !unstorableEscape.test(text)) return value;
  return JSON.parse(
    text.replace(new RegExp(unstorableEscape, "g"), (found) => `${found.slice(0, -6)}\\ufffd`),
  );
}

function unstorableText(): AppError {
  return new AppError(
    "invalid",
    "text_not_storable",
    "The text holds a NUL or an incomplete Unicode character.",
  );
}
