import type { Work } from "../../kit/concurrency/others-turn.ts";
import type { GuardrailStream, Verdict } from "./guardrail.ts";

/** Stream of a guardrail that can only judge the whole text. It holds back everything until the end. */
export function heldStream(check: (text: string) => Work<Verdict>): GuardrailStream {
  let held = "";
  let verdict: Verdict | undefined;
  return {
    // biome-ignore lint/correctness/useYield: all the work is done at the end.
    *push(piece) {
      held += piece;
      return "";
    },
    *end() {
      verdict = yield* check(held);
      return verdict.outcome === "blocked" ? "" : verdict.text;
    },
    giveUp: () => held,
    get blocked() {
      return verdict?.outcome === "blocked" ? verdict.reason : undefined;
    },
    get hits() {
      return verdict?.hits ?? 0;
    },
  };
}
