import { AppError } from "../../kit/app-error.ts";
import { type Allowance, holdAll, type PlannedCall, type SpentCall, settledOnce } from "./allowance.ts";
import { answerTokensMin } from "./call-bounds.ts";

/** A hard limit on the tokens of all model calls of a run and of everything it starts. */
export function createTokenAllowance(tokensMax: number): Allowance {
  return createShare(tokensMax, tokensMax);
}

/** A share of `shareMax` tokens in a run that may use `tokensMax` in total. */
function createShare(shareMax: number, tokensMax: number): Allowance {
  let used = 0;
  let heldTokens = 0;
  const left = () => shareMax - used - heldTokens;
  const whole: Allowance = {
    hold(call) {
      const answer = coveredAnswer(call, left(), tokensMax);
      const tokens = call.inputTokensMax + answer;
      heldTokens += tokens;
      return settledOnce(
        answer,
        (spent) => {
          heldTokens -= tokens;
          used += tokensOf(spent);
        },
        (before, after) => {
          used += tokensOf([after]) - tokensOf([before]);
        },
      );
    },
    split: (parts) => {
      const share = Math.max(0, Math.floor(left() / parts));
      return Array.from({ length: parts }, () => within(createShare(share, tokensMax), whole));
    },
  };
  return whole;
}

/** An allowance limited by its own part and counted in the whole. */
function within(part: Allowance, whole: Allowance): Allowance {
  return {
    hold: (call) => holdAll([part, whole], call),
    split: (parts) => part.split(parts).map((smaller) => within(smaller, whole)),
  };
}

/** The longest answer within the remaining tokens. A reduced answer has at least `answerTokensMin` tokens, or all that were requested. */
function coveredAnswer(
  { inputTokensMax, answerTokensMax }: PlannedCall,
  left: number,
  tokensMax: number,
): number {
  const room = left - inputTokensMax;
  const wanted = Math.min(answerTokensMax ?? Number.POSITIVE_INFINITY, answerTokensMin);
  if (room >= wanted) return Math.min(answerTokensMax ?? room, room);
  throw new AppError(
    "payment_required",
    "budget_exceeded",
    `The run's limit of ${tokensMax} tokens has no room for another model call: ${Math.max(0, left)} are left.`,
    {
      details: { hint: "Raise the limit (spec.orchestration.max_run_tokens), or shorten prompt and tools." },
    },
  );
}

function tokensOf(spent: readonly SpentCall[]): number {
  return spent.reduce((sum, { usage }) => sum + usage.inputTokens + usage.outputTokens, 0);
}
