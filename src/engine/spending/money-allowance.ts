import { type Allowance, type Hold, type PlannedCall, type SpentCall, settledOnce } from "./allowance.ts";
import { answerTokensMin } from "./answer-bounds.ts";
import type { Price } from "./price.ts";

/** Where a budget's money is counted, in micros of USD. */
export interface MoneyAccount {
  /** What is neither spent nor held; negative after an overrun. */
  leftMicros(): number;
  /** Keeps `micros` back. The promise is that of `Hold.kept`. */
  hold(micros: number): Promise<void> | undefined;
  /** Gives back what was held and takes what was spent. */
  settle(heldMicros: number, spent: readonly SpentCall[]): void;
  /** Why a call that costs at least `micros` can't be made. */
  refusal(micros: number): Error;
}

/**
 * The money that the model calls of an agent, and of all that it lets work, may cost: a hard limit over all its runs. A model
 * without a price can't be bounded: its calls pass.
 */
export function createMoneyAllowance(account: MoneyAccount): Allowance {
  const allowance: Allowance = {
    hold(call) {
      const { price } = call;
      if (price === undefined || (price.in === 0 && price.out === 0)) {
        return settledOnce(call.answerTokensMax, (spent) => account.settle(0, spent));
      }
      return holdPriced(account, call, price);
    },
    // Each call holds its own worst case, never all that is left: nobody starves another.
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
  const kept = account.hold(micros);
  const hold = settledOnce(answer, (spent) => account.settle(micros, spent));
  return kept === undefined ? hold : { ...hold, kept };
}

/** No call with this much input and answer costs more. */
export function worstCaseMicros(inputTokens: number, answerTokens: number, price: Price): number {
  return Math.ceil((inputTokens * price.in + answerTokens * price.out) / 1000);
}

/** The longest answer whose worst case is at most `leftMicros`; negative when not even the input is covered. */
function affordableAnswer(leftMicros: number, inputTokens: number, price: Price): number {
  if (worstCaseMicros(inputTokens, 0, price) > leftMicros) return -1;
  if (price.out === 0) return Number.POSITIVE_INFINITY;
  let answer = Math.floor((leftMicros * 1000 - inputTokens * price.in) / price.out);
  // Prices may be fractions, and then the division above is only nearly right.
  while (answer >= 0 && worstCaseMicros(inputTokens, answer, price) > leftMicros) answer--;
  return answer;
}
