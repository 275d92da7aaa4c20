import { InvalidArgumentError, Option } from "commander";
import { sourceFilters } from "../contracts/daemon/runs/run-sources.ts";
import { usageError } from "./terminal/report-error.ts";

/** Returns a parser for an option's whole number from `min` to `max`. */
export function wholeNumber(max: number, min = 1): (text: string) => number {
  return (text) => {
    if (/^(?:0|[1-9][0-9]{0,8})$/.test(text) && Number(text) >= min && Number(text) <= max)
      return Number(text);
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

/** Parses an option's number from 0 to 1. */
export function part(text: string): number {
  const value = Number(text);
  if (/^[0-9.]+$/.test(text) && value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError("It must be a number from 0 to 1, such as 0.8.");
}

/** Collects the values of a repeatable option. */
export function gather(text: string, earlier: readonly string[] = []): string[] {
  return [...earlier, text];
}

/** Parses an option's `provider/model`. */
export function modelName(text: string): string {
  if (/^[^/]{1,63}\/.{1,255}$/.test(text)) return text;
  throw new InvalidArgumentError("It must be a provider and its model, such as openai/gpt-5.");
}

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

/** Parses an option's price per 1000 tokens to micros with three decimals: `0.0000375` is 37.5. */
export function rate(text: string): number {
  const [, whole = "", part = ""] = /^(\d{1,7})(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  const thousandths = Number(`${whole}${part.padEnd(9, "0")}`);
  if (whole !== "" && thousandths <= wholeMax * 1_000_000_000) return thousandths / 1000;
  throw new InvalidArgumentError(
    `It must be a decimal from 0 to ${wholeMax} with at most nine digits after the point, such as 0.0000375.`,
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

/** `--source`: which runs count. */
export const sourceOption = (usual: "traffic" | "all") =>
  new Option(
    "--source <source>",
    `only runs with this source; traffic: production and trigger (${usual})`,
  ).choices(sourceFilters);

/** `--yes`: commands that can't be undone are refused without it. */
export const yesOption = () => new Option("--yes", "confirm the command; it cannot be undone");

/** Throws a usage error with the consequence unless `--yes` was given. */
export function requireYes({ yes }: { yes?: boolean }, consequence: string): void {
  if (yes !== true) throw usageError(consequence, "Run it again with --yes.");
}

/** Says what becomes of the API keys that a member made when they are removed; empty without keys. */
export const memberKeysText = (verb: string, keys: readonly string[]): string =>
  keys.length === 0 ? "" : ` ${verb} the API keys ${keys.join(", ")}.`;
