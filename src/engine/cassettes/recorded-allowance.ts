import type { RecordedAnswer } from "../../contracts/daemon/cassettes/cassette-file.ts";
import { recordError, restoreError } from "../run-state/recorded-error.ts";
import type { Allowance, Hold, PlannedCall } from "../spending/allowance.ts";

type BudgetAnswer = RecordedAnswer<"budget">;

/** The same allowance, which also reports its answer to each call. */
export function recordedAllowance(allowance: Allowance, note: (answer: BudgetAnswer) => void): Allowance {
  return {
    hold(call) {
      const hold = held(allowance, call, note);
      const { answerTokensMax, kept } = hold;
      const answer: BudgetAnswer =
        answerTokensMax === undefined ? {} : { answer_tokens_max: answerTokensMax };
      note(answer);
      // The call waits for `kept` and fails with its error. In a replay both refusals look alike.
      kept?.catch((refused: unknown) => {
        answer.error = recordError(refused);
      });
      return hold;
    },
    split: (parts) => allowance.split(parts).map((part) => recordedAllowance(part, note)),
  };
}

function held(allowance: Allowance, call: PlannedCall, note: (answer: BudgetAnswer) => void): Hold {
  try {
    return allowance.hold(call);
  } catch (refused) {
    note({ error: recordError(refused) });
    throw refused;
  }
}

/** An allowance that gives the recorded answers. Once they are used up, it allows everything. */
export function replayedAllowance(next: () => BudgetAnswer | undefined): Allowance {
  const allowance: Allowance = {
    hold() {
      const answer = next();
      if (answer?.error !== undefined) throw restoreError(answer.error);
      return { answerTokensMax: answer?.answer_tokens_max, settle() {} };
    },
    split: (parts) => Array.from({ length: parts }, () => allowance),
  };
  return allowance;
}
