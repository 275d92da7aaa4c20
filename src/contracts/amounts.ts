import { microsDecimal } from "./platform/billing/micros.ts";

/**
 * Texts of amounts by one rule, on the command line, on bills and, in the language of the browser, in the console. Rows and bills show every
 * digit, so that they add up; totals to pay are in cents, and so are figures that stand alone, from one dollar on; an unknown cost is
 * "unknown", never `$0.00`.
 */

/** Writes an amount with at least and at most so many decimals. */
export interface AmountWriters {
  dollars: (micros: number, least: number, most: number) => string;
  credits: (micros: number, least: number, most: number) => string;
  unknown: string;
  partly: (known: string) => string;
}

/** Costs of runs or calls, of which some may be unknown. */
export interface Cost {
  /** Sum of the known ones, in micros of US dollars. */
  micros: number;
  /** Number of runs, calls or tokens without a known price. */
  unknown: number;
}

/** A unit price may have a part of a micro: `$0.0000375`. */
const mostDecimals = 7;

/** Returns the texts of a language. */
export function amountTexts({ dollars, credits, unknown: unknownText, partly }: AmountWriters) {
  const usdText = (micros: number): string => dollars(micros, 2, mostDecimals);
  const usdTotalText = (micros: number): string => dollars(toCents(micros), 2, 2);
  return {
    /** Formats micros of US dollars with every digit: 12075 → `$0.012075`, 1250000000 → `$1,250.00`. */
    usdText,
    /** Formats a total in cents, rounded once, half up: 30914194 → `$30.91`. */
    usdTotalText,
    /** Formats a figure: in cents from one dollar on, with every digit below. */
    usdFigureText: (micros: number): string =>
      Math.abs(micros) < 1_000_000 ? usdText(micros) : usdTotalText(micros),
    /** Formats a mark of an axis whose marks are `step` apart, with as many decimals as tell them apart: `$0.005`, `$0.010`; `$5`, `$10`. */
    usdMarkText(micros: number, step: number): string {
      const decimals = step % 1_000_000 === 0 ? 0 : (microsDecimal(step).split(".")[1]?.length ?? 0);
      return dollars(micros, decimals, decimals);
    },
    /** Formats an amount of credits with every digit: 42218300 → `42.2183`, 5000000 → `5`. */
    creditsText: (micros: number): string => credits(micros, 0, mostDecimals),
    /** Formats a cost: the known part, and that another part is unknown. */
    costText({ micros, unknown }: Cost, text: (micros: number) => string = usdText): string {
      if (unknown <= 0) return text(micros);
      return micros === 0 ? unknownText : partly(text(micros));
    },
  };
}

/** Writes a number in English with every digit that it has, up to `most` of which the rest are zeros. */
const english =
  (sign: string) =>
  (micros: number, least: number): string => {
    const [whole = "", fraction = ""] = microsDecimal(Math.abs(micros)).split(".");
    const decimals = fraction.replace(/0+$/, "").padEnd(least, "0");
    const text = `${sign}${grouped(whole)}${decimals === "" ? "" : `.${decimals}`}`;
    return micros < 0 ? `-${text}` : text;
  };

export const { usdText, usdTotalText, usdFigureText, usdMarkText, creditsText, costText } = amountTexts({
  dollars: english("$"),
  credits: english(""),
  unknown: "unknown",
  partly: (known) => `${known} + unknown`,
});

/** Converts US dollars of an answer to whole micros. */
export const nearestMicros = (usd: number): number => Math.round(usd * 1_000_000);

function toCents(micros: number): number {
  const cents = (BigInt(Math.abs(micros)) + 5000n) / 10_000n;
  return Number(cents * 10_000n) * (micros < 0 && cents > 0n ? -1 : 1);
}

/** A text with a number: what comes before its last digit, its fraction with the sign before it, and what follows: `$1` `.50` ` per month`. */
const lastNumber = { ".": /^(.*?\d)(\.\d+)?(\D*)$/s, ",": /^(.*?\d)(,\d+)?(\D*)$/s };

/** Sign before the fraction of a number. */
export type DecimalSign = keyof typeof lastNumber;

/** Returns the width of a number's fraction: 3 for `0.15`, 0 for `12` and for a text without a number. */
export const fractionWidth = (text: string, sign: DecimalSign = "."): number =>
  lastNumber[sign].exec(text)?.[2]?.length ?? 0;

/** Returns a text whose number has a fraction of this width, as all numbers of its column have: `$1.50` among `$0.008527` is `$1.500000`. */
export function alignedNumber(text: string, width: number, sign: DecimalSign = "."): string {
  const [, number = "", fraction = "", rest = ""] = lastNumber[sign].exec(text) ?? [];
  if (number === "" || fraction.length >= width) return text;
  return `${number}${(fraction === "" ? sign : fraction).padEnd(width, "0")}${rest}`;
}

/** 1234567.89 → 1,234,567.89. */
export function grouped(decimal: string): string {
  const [whole = "", fraction] = decimal.split(".");
  const thousands = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? thousands : `${thousands}.${fraction}`;
}
