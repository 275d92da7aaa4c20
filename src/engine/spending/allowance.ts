import type { Usage } from "../models/model.ts";
import type { Price } from "./price.ts";

/** The worst case of a model call that is about to be made. */
export interface PlannedCall {
  /** More tokens than the model can read the request as. */
  inputTokensMax: number;
  /** What the answer may be long at most, as far as anybody said; undefined: nobody did. */
  answerTokensMax: number | undefined;
  /** The same, or what is taken for it where nobody said: no more than this is kept back of what several runs share. */
  answerTokensUsual: number;
  /** The dearest of the known prices among those who may answer; undefined when none is known. */
  price: Price | undefined;
  /** Whether its answer is there already, and was paid for when the run was run before. */
  played?: boolean;
}

/** What a call has used; `price` is that of the model that answered, undefined when it is not known. */
export interface SpentCall {
  provider: string;
  model: string;
  usage: Usage;
  price: Price | undefined;
}

/** What an allowance keeps back for one call that is under way. */
export interface Hold {
  /** The longest answer the allowance can cover; undefined: any. */
  answerTokensMax: number | undefined;
  /**
   * Resolves once the hold outlives this process, or rejects with why the call can't be made after all; absent when there is
   * nothing to wait for. The call waits for it.
   */
  kept?: Promise<void>;
  /** Takes what was really used (nothing when no call came about) and gives back the rest. Only the first call counts. */
  settle(spent: readonly SpentCall[]): void;
}

/**
 * A limit on what model calls may use: the tokens of a run, the money of an agent. Whoever calls a model holds the worst case
 * of the call first and settles afterwards, so that what is held and used together never passes the limit.
 */
export interface Allowance {
  /** Throws AppError `budget_exceeded` (402) when the call can't be covered. */
  hold(call: PlannedCall): Hold;
  /** The same limit for `parts` that spend at once; where one call may take all that is left, each has a share of it. */
  split(parts: number): Allowance[];
}

/** A hold whose first settlement alone counts. */
export function settledOnce(
  answerTokensMax: number | undefined,
  settle: (spent: readonly SpentCall[]) => void,
): Hold {
  let settled = false;
  return {
    answerTokensMax,
    settle(spent) {
      if (settled) return;
      settled = true;
      settle(spent);
    },
  };
}

/** Holds a call under every allowance; when one refuses, nothing is held. */
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
  const kept = holds.flatMap((hold) => hold.kept ?? []);
  return {
    answerTokensMax,
    ...(kept.length === 0 ? {} : { kept: Promise.all(kept).then(() => undefined) }),
    settle(spent) {
      for (const hold of holds) hold.settle(spent);
    },
  };
}
