import type { Work } from "../../kit/concurrency/others-turn.ts";
import type { GuardrailStream, GuardrailVerdict } from "./guardrail.ts";

/** Stream of a guardrail that can only judge the whole text. It holds back everything until the end. */
export function heldStream(check: (text: string) => Work<GuardrailVerdict>): GuardrailStream {
  let pending = "";
  let verdict: GuardrailVerdict | undefined;
  return {
    // biome-ignore lint/correctness/useYield: all the work is done at the end.
    *push(piece) {
      pending += piece;
      return "";
    },
    *end() {
      verdict = yield* check(pending);
      return verdict.outcome === "blocked" ? "" : verdict.text;
    },
    giveUp: () => pending,
    get blocked() {
      return verdict?.outcome === "blocked" ? verdict.reason : undefined;
    },
    get hits() {
      return verdict?.hits ?? 0;
    },
  };
}
