import type { AmountWriter } from "../../contracts/platform/billing/printed-amounts.ts";
import { formatNumber } from "../parts/text/format.ts";
import { creditsText, usdText } from "../parts/text/money.ts";
import { amountWords } from "../texts/platform/amounts.ts";

/** Writes the amounts of statements and invoices in the language of the page. */
export const amountWriter: AmountWriter = {
  usd: usdText,
  credits: creditsText,
  count: formatNumber,
  words: amountWords,
};
