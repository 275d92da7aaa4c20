import { costMicros, type Price } from "../models/price.ts";
import { type Allowance, type Hold, type PlannedCall, type SpentCall, settledOnce } from "./allowance.ts";
import { answerTokensMin } from "./call-bounds.ts";

/** Account of a budget, in micros of USD. */
export interface MoneyAccount {
  /** Amount that is neither spent nor held; negative after an overrun. */
  leftMicros(): number;
  /** Holds `micros`. The promise is that of `Hold.kept`. */
  hold(micros: number): Promise<void> | undefined;
  /** Releases the hold and deducts the actual cost. */
  settle(heldMicros: number, spent: readonly SpentCall[]): void;
  /** Adds the difference, positive or negative, to what a settled call has cost. */
  correct(micros: number): void;
  /** Returns the error for a call that costs at least `micros` and can't be made. */
  refusal(micros: number): Error;
}

/**
 * A hard limit on the cost of an agent's model calls, including agents it calls, over all its runs. Calls of a model without a known price
 * are not limited.
 */
export function createMoneyAllowance(account: MoneyAccount): Allowance {
  const allowance: Allowance = {
    hold(call) {
      const { price } = call;
      if (price === undefined || (price.in === 0 && price.out === 0)) {
        return settledOnce(call.answerTokensMax, (spent) => account.settle(0, spent), correcting(account));
      }
      return holdPriced(account, call, price);
    },
    // Each call holds only its own worst case, never the whole rest, so parallel parts don't block each other.
    split: (parts) => Array.from({ length: parts }, () => allowance),
  };
  return allowance;
}

function holdPriced(account: MoneyAccount, call: PlannedCall, price: Price): Hold {
  const wanted = Math.min(call.answerTokensMax ?? Number.POSITIVE_INFINITY, call.answerTokensUsual);
  const least = Math.min(wanted, answerTokensMin);
  const answer = Math.min(wanted, affordableAnswer(account.leftMicros(), call.inputTokensMax, price));
  if (answer < least) throw account.refusal(worstCaseMicros(call.inputTokensMax, least, price));
  const micros = worstCaseMicros(call.inputTokensMax, answer, price);
  const accountHold = account.hold(micros);
  const hold = settledOnce(answer, (spent) => account.settle(micros, spent), correcting(account));
  return accountHold === undefined ? hold : { ...hold, kept: accountHold };
}

const correcting =
  (account: MoneyAccount): NonNullable<Hold["correct"]> =>
  (before, after) => {
    if (before.price !== undefined)
      account.correct(costMicros(after.usage, before.price) - costMicros(before.usage, before.price));
  };

/** Maximum cost of a call with these input and answer tokens. */
export function worstCaseMicros(inputTokens: number, answerTokens: number, price: Price): number {
  return Math.ceil((inputTokens * price.in + answerTokens * price.out) / 1000);
}

/** Longest answer whose worst case is at most `leftMicros`; negative if not even the input is covered. */
function affordableAnswer(leftMicros: number, inputTokens: number, price: Price): number {
  if (worstCaseMicros(inputTokens, 0, price) > leftMicros) return -1;
  if (price.out === 0) return Number.POSITIVE_INFINITY;
  const answer = Math.floor((leftMicros * 1000 - inputTokens * price.in) / price.out);
  // Prices may be fractions, so the division above may be slightly off: by one token, or by some of so many that one less is the same number.
  return (
    [answer, answer - 1, Math.floor(answer * (1 - 2 ** -40)) - 1].find(
      (fewer) => fewer >= 0 && worstCaseMicros(inputTokens, fewer, price) <= leftMicros,
    ) ?? (worstCaseMicros(inputTokens, 0, price) <= leftMicros ? 0 : -1)
  );
}
