import { AppError } from "../kit/app-error.ts";

/** A column's encoder that lets null pass: drizzle's types don't say so, but a prepared statement's null comes here too. */
export const encoder =
  <Value, Stored>(encode: (value: Value) => Stored) =>
  (value: Value): Stored =>
    value === null ? (value as never) : encode(value);

/** An integer that a double holds exactly; anything else is refused before the database sees it. */
export function exactInteger(value: number): number {
  if (Number.isSafeInteger(value)) return value;
  throw new AppError("invalid", "number_not_representable", `${value} is not an integer within ±(2^53-1).`);
}

/** A finite number: NaN and the infinities mean something else on each engine. */
export function finiteNumber(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new AppError(
    "invalid",
    "number_not_representable",
    `${value} can't be stored: it is not a finite number.`,
  );
}

/** An instant of the years 1 to 9999: what both engines and ISO 8601 with four digits can write. */
export function storableInstant(value: Date): Date {
  const year = value.getUTCFullYear();
  if (year >= 1 && year <= 9999) return value;
  throw new AppError(
    "invalid",
    "instant_not_representable",
    "The instant is not valid or outside the years 1 to 9999.",
  );
}

/** `\u0000` and lone surrogates, which `JSON.stringify` always writes as escapes; an even run of backslashes before is text. */
const unstorableEscape = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/;

/** The JSON text of `value`; refuses what PostgreSQL's jsonb can't hold, on both engines. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value);
  if (text === undefined)
    throw new AppError("internal", "json_not_representable", "The value has no JSON form.");
  if (text.includes("\\u") && unstorableEscape.test(text)) throw unstorableText();
  return text;
}

/** Refuses text that PostgreSQL can't hold (NUL) or that UTF-8 can't write (a lone surrogate), on both engines. */
export function refuseUnstorableText(parameters: readonly unknown[]): void {
  for (const value of parameters) {
    if (typeof value === "string" && (value.includes("\0") || !value.isWellFormed())) throw unstorableText();
  }
}

/** `text` with each character that can't be stored replaced by U+FFFD: for what models and tools say. */
export function storableText(text: string): string {
  return text.includes("\0") ? text.toWellFormed().replaceAll("\0", "\u{fffd}") : text.toWellFormed();
}

/** `value` with each character that can't be stored replaced by U+FFFD in every string, keys included. */
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
