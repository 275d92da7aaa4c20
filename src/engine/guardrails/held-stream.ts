import type { GuardrailStream, Verdict } from "./guardrail.ts";

/** The stream of a guardrail that can only judge the whole text: everything is held until the end. */
export function heldStream(check: (text: string) => Verdict): GuardrailStream {
  let held = "";
  let verdict: Verdict | undefined;
  return {
    push(piece) {
      held += piece;
      return "";
    },
    end() {
      verdict = check(held);
      return verdict.outcome === "blocked" ? "" : verdict.text;
    },
    get blocked() {
      return verdict?.outcome === "blocked" ? verdict.reason : undefined;
    },
    get hits() {
      return verdict?.hits ?? 0;
    },
  };
}
