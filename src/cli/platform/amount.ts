import { InvalidArgumentError, Option } from "commander";
import { usageError } from "../report-error.ts";

const wholeMax = 1_000_000;

/** Parses an option's decimal to exact micros: `29.90` is 29,900,000. */
export function amount(text: string): number {
  const [, whole = "", part = ""] = /^(\d{1,7})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  const micros = Number(`${whole}${part.padEnd(6, "0")}`);
  if (whole !== "" && micros <= wholeMax * 1_000_000) return micros;
  throw new InvalidArgumentError(
    `It must be a decimal from 0 to ${wholeMax} with at most six digits after the point, such as 29.90.`,
  );
}

/** A limit as typed; commander takes a null for a missing value. */
export type TypedLimit = number | "none";

/** Parses an amount, or `none` for no limit. */
export function amountOrNone(text: string): TypedLimit {
  return text === "none" ? text : amount(text);
}

/** Parses an option's whole number, or `none` for no limit. */
export function countOrNone(text: string): TypedLimit {
  if (text === "none") return text;
  if (/^(0|[1-9]\d{0,8})$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number such as 60, or none for no limit.");
}

/** `--yes`: commands that can't be undone are refused without it. */
export const yesOption = () => new Option("--yes", "confirm the command; it cannot be undone");

/** Throws a usage error with the consequence unless `--yes` was given. */
export function requireYes({ yes }: { yes?: boolean }, consequence: string): void {
  if (yes !== true) throw usageError(consequence, "Run it again with --yes.");
}
