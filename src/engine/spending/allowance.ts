import type { Usage } from "../models/model.ts";
import type { Price } from "../models/price.ts";

/*
 * Spending: the worst case of each model call is held before the call and settled after it, under the run's token limit and the agent's
 * budget.
 */

/** The worst case of a planned model call. */
export interface PlannedCall {
  /** Upper bound for the request's tokens. */
  inputTokensMax: number;
  /** Limit on the answer's tokens; undefined if no limit is set. */
  answerTokensMax: number | undefined;
  /** The same limit, or its default if none is set. At most this much is held back from a budget that several runs share. */
  answerTokensUsual: number;
  /** Highest known price among the candidates; undefined if none is known. */
  price: Price | undefined;
  /** True if the answer was received and paid for before the run paused. */
  played?: boolean;
}

/** Usage of a call; `price` is that of the answering model, undefined if unknown. */
export interface SpentCall {
  provider: string;
  model: string;
  usage: Usage;
  price: Price | undefined;
}

/** Amount that an allowance holds back for one call in progress. */
export interface Hold {
  /** Longest answer that the allowance can cover; undefined: any. */
  answerTokensMax: number | undefined;
  /**
   * Resolves once the hold is durable, or rejects with the reason why the call can't be made; absent if there is nothing to wait for. The
   * call waits for it.
   */
  kept?: Promise<void>;
  /** Deducts the actual usage (none if no call was made) and releases the rest. Only the first call counts. */
  settle(spent: readonly SpentCall[]): void;
  /** After the settlement: the usage of one of the calls was another one. Absent: it does not count. */
  correct?(before: SpentCall, after: SpentCall): void;
}

/**
 * A limit on the usage of model calls: the tokens of a run, or the money of an agent. Before a call, its worst case is held, and the hold
 * is settled afterwards, so that holds and usage together never exceed the limit.
 */
export interface Allowance {
  /** Throws AppError `budget_exceeded` (402) if the call can't be covered. */
  hold(call: PlannedCall): Hold;
  /** The same limit for `parts` that spend in parallel. If a single call could use up the limit, each part gets a share. */
  split(parts: number): Allowance[];
}

/** Creates a hold for which only the first settlement counts. */
export function settledOnce(
  answerTokensMax: number | undefined,
  settle: (spent: readonly SpentCall[]) => void,
  correct: NonNullable<Hold["correct"]>,
): Hold {
  let settled = false;
  return {
    answerTokensMax,
    correct,
    settle(spent) {
      if (settled) return;
      settled = true;
      settle(spent);
    },
  };
}

/** Holds a call under every allowance; if one refuses, nothing is held. */
export function holdAll(allowances: readonly Allowance[], call: PlannedCall): Hold {
  const holds: Hold[] = [];
  let answerTokensMax = call.answerTokensMax;
  try {
    for (const allowance of allowances) {
      const hold = allowance.hold({ ...call, answerTokensMax });
      holds.push(hold);
      answerTokensMax = hold.answerTokensMax ?? answerTokensMax;
    }
  } catch (refused) {
    for (const hold of holds) hold.settle([]);
    throw refused;
  }
  const keptHolds = holds.flatMap((hold) => hold.kept ?? []);
  return {
    answerTokensMax,
    ...(keptHolds.length === 0 ? {} : { kept: Promise.all(keptHolds).then(() => undefined) }),
    settle(spent) {
      for (const hold of holds) hold.settle(spent);
    },
    correct(before, after) {
      for (const hold of holds) hold.correct?.(before, after);
    },
  };
}

/** An allowance that charges a call only if it is made, not if it is played. */
export function heldUnlessPlayed(allowance: Allowance): Allowance {
  return {
    hold: (call) =>
      call.played === true ? { answerTokensMax: call.answerTokensMax, settle() {} } : allowance.hold(call),
    split: (parts) => allowance.split(parts).map(heldUnlessPlayed),
  };
}
