import { amountTexts, type Cost, nearestMicros } from "../../../contracts/amounts.ts";
import { amountTexts as words } from "../../texts/parts.ts";
import { locale } from "./locale.ts";

/** Writes micros of an amount in the language of the page. */
const writer = (options: Intl.NumberFormatOptions) => (micros: number, least: number, most: number) =>
  new Intl.NumberFormat(locale, {
    ...options,
    minimumFractionDigits: least,
    maximumFractionDigits: most,
  }).format(micros / 1e6);

export const { usdText, usdTotalText, usdFigureText, usdMarkText, creditsText, costText } = amountTexts({
  // "$" as on statements.
  dollars: writer({ style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" }),
  credits: writer({}),
  ...words,
});

/** Returns a cost from an answer in US dollars, of which `unknown` calls have no price. An amount that is absent is unknown. */
export const costOfUsd = (usd: number | null | undefined, unknown = 0): Cost =>
  typeof usd === "number"
    ? { micros: nearestMicros(usd), unknown }
    : { micros: 0, unknown: Math.max(1, unknown) };

/** Formats a cost in a row, with every digit. */
export const rowCost = (cost: Cost): string => costText(cost);

/** Formats a cost that stands alone. */
export const figureCost = (cost: Cost): string => costText(cost, usdFigureText);

/** Formats the cost of a trace; a dash if it called no model. */
export const traceCost = (
  { cost_usd: usd, unpriced_calls: unpriced }: { cost_usd?: number; unpriced_calls: number },
  text: (cost: Cost) => string = rowCost,
): string => (usd === undefined && unpriced === 0 ? "–" : text(costOfUsd(usd, unpriced)));

/** Formats US dollars of an answer, with every digit. */
export const rowUsd = (usd: number): string => usdText(nearestMicros(usd));

/** Formats US dollars of an answer as a figure. */
export const figureUsd = (usd: number): string => usdFigureText(nearestMicros(usd));
