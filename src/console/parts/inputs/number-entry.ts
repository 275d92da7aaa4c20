import { numberTexts as texts } from "../../texts/parts.ts";

/** Rules for a typed number. */
export interface NumberRules {
  /** Limit for the digits after the point. */
  decimals: number;
  /** Power of ten between the typed and the stored number: 6 stores micros, as a whole number. */
  scale?: number;
  /** Inclusive limits, in the stored unit. */
  min?: number;
  max?: number;
}

/** The value of a field whose text is not a number, so that no form can store another number instead. */
export class UnreadableNumber {
  readonly text: string;
  /** Describes the fault and what to type. */
  readonly fault: string;
  /** True if more typing may turn the text into a number: `-`, `.`, or `1` if the minimum is 10. */
  readonly isUnfinished: boolean;

  constructor(text: string, fault: string, isUnfinished = false) {
    this.text = text;
    this.fault = fault;
    this.isUnfinished = isUnfinished;
  }

  /** Returns the text, for a form that is shown as JSON. */
  toJSON(): string {
    return this.text;
  }
}

/** The content of a number field; null if empty. */
export type NumberEntry = number | null | UnreadableNumber;

const decimal = /^(-?)(\d*)\.?(\d*)$/;
const quotedChars = 40;

/** Parses a decimal digit by digit; with `scale`, no floating-point arithmetic is used. `sign` separates its fraction. */
export function readNumber(text: string, rules: NumberRules, sign = "."): NumberEntry {
  const written = text.trim();
  const plain = (value: number) => withSign(plainDecimal(value, rules.scale), sign);
  if (written === "") return null;
  const unreadable = (fault: string, isUnfinished = false) => new UnreadableNumber(text, fault, isUnfinished);
  const parts = decimal.exec(sign === "," ? withPoint(written) : written);
  if (parts === null) return unreadable(shapeFault(written));
  const [, minus = "", digits = "", rest = ""] = parts;
  if (digits + rest === "") return unreadable(texts.notNumber(quoted(written)), true);
  const whole = digits.replace(/^0+(?=\d)/, "") || "0";
  const fraction = rest.replace(/0+$/, "");
  if (fraction.length > rules.decimals) {
    return unreadable(
      rules.decimals === 0 ? texts.whole(quoted(written)) : texts.decimals(rules.decimals, fraction.length),
    );
  }
  const { scale = 0, min, max } = rules;
  if (minus === "-" && min !== undefined && min >= 0) {
    return unreadable(texts.atLeast(plain(min), quoted(written)));
  }
  const value = scaled(whole, fraction, scale) * (minus === "-" ? -1 : 1) || 0;
  if (max !== undefined && value > max) {
    return unreadable(texts.atMost(plain(max), quoted(written)));
  }
  if (min !== undefined && value < min) {
    return unreadable(texts.atLeast(plain(min), quoted(written)), value >= 0);
  }
  const normal = `${value < 0 ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
  return plainDecimal(value, scale) === normal ? value : unreadable(texts.notExact(quoted(written)));
}

/** Formats a number as digits and a point, without an exponent: 29900000 with scale 6 is `29.9`. */
export function plainDecimal(value: number, scale = 0): string {
  const [mantissa = "0", exponent = "0"] = String(Math.abs(value)).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  const shift = Number(exponent) - scale;
  const point = whole.length + shift;
  const digits = `${"0".repeat(Math.max(0, 1 - point))}${whole}${fraction}`.padEnd(point, "0");
  const at = Math.max(point, 1);
  const [left, right] = [digits.slice(0, at).replace(/^0+(?=\d)/, ""), digits.slice(at).replace(/0+$/, "")];
  return `${value < 0 ? "-" : ""}${left}${right === "" ? "" : `.${right}`}`;
}

/** Returns the number, or null for an empty field. Throws the fault of a text that is not a number. */
export function enteredNumber(entry: NumberEntry): number | null {
  if (entry instanceof UnreadableNumber) throw new Error(entry.fault);
  return entry;
}

/** Returns the text of an entry, for an address; "" if empty. */
export function entryText(entry: NumberEntry): string {
  if (entry instanceof UnreadableNumber) return entry.text;
  return entry === null ? "" : plainDecimal(entry);
}

/** Returns true if no entry is an unreadable text. */
export const areReadable = (entries: readonly unknown[]): boolean =>
  entries.every((entry) => !(entry instanceof UnreadableNumber));

/** Returns a plain decimal with another sign before its fraction. */
export const withSign = (plain: string, sign: string): string => plain.replace(".", sign);

/** Returns a decimal with a comma as one with a point, so that a point in it is the fault that a comma is elsewhere. */
const withPoint = (text: string): string => text.replaceAll(/[.,]/g, (sign) => (sign === "," ? "." : ","));

function scaled(whole: string, fraction: string, scale: number): number {
  return scale === 0 ? Number(`${whole}.${fraction}`) : Number(whole + fraction.padEnd(scale, "0"));
}

function shapeFault(written: string): string {
  if (/^[+-]?[\d.,]*\d[\d.,]*e[+-]?\d*$/i.test(written)) return texts.exponent(quoted(written));
  if (/^-?[\d.,'’\s]+$/.test(written)) return texts.separators(quoted(written));
  return texts.notNumber(quoted(written));
}

const quoted = (text: string): string =>
  `“${text.length > quotedChars ? `${text.slice(0, quotedChars)}…` : text}”`;
