import { type AmountWords, englishWords } from "../../../contracts/platform/billing/printed-amounts.ts";

/** Words beside the amounts of statements and invoices. */
export const amountWords: AmountWords = englishWords;
