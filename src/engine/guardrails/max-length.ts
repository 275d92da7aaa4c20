import { type Static, Type } from "@sinclair/typebox";
import type { Work } from "../../kit/concurrency/others-turn.ts";
import type { GuardrailAction, GuardrailStage } from "../../manifest/agent/guardrails.ts";
import type { GuardrailVerdict, TextGuardrail } from "./guardrail.ts";
import { heldStream } from "./held-stream.ts";
import { isAffordable, shortLength, type TextBudget } from "./text-budget.ts";

export const maxLengthOptions = Type.Object(
  {
    max_chars: Type.Integer({
      description: "Longest text, in characters (code points).",
      minimum: 1,
      maximum: 1_000_000,
      default: 10_000,
    }),
  },
  { additionalProperties: false },
);

/** Limits the length of what a user writes; redacting cuts it. */
export function maxLength(
  type: string,
  stage: GuardrailStage,
  action: GuardrailAction,
  options: Partial<Static<typeof maxLengthOptions>>,
): TextGuardrail {
  const maxChars = options.max_chars ?? 10_000;

  const verdict = (text: string): GuardrailVerdict => {
    const end = endOfCharacters(text, maxChars);
    if (end >= text.length) return { outcome: "passed", text, hits: 0 };
    if (action === "block")
      return { outcome: "blocked", reason: `it is longer than ${maxChars} characters`, hits: 1 };
    if (action === "redact") return { outcome: "redacted", text: text.slice(0, end), hits: 1 };
    return { outcome: "passed", text, hits: 1 };
  };

  const check = function* (text: string, budget: TextBudget): Work<GuardrailVerdict> {
    if (budget.spend(Math.min(text.length, maxChars))) yield;
    return verdict(text);
  };
  const checkShort = (text: string, budget: TextBudget): GuardrailVerdict | undefined =>
    text.length <= shortLength && isAffordable(budget, Math.min(text.length, maxChars))
      ? verdict(text)
      : undefined;
  return {
    type,
    stage,
    action,
    forUserText: true,
    check,
    checkShort,
    open: (budget) => heldStream((text) => check(text, budget)),
  };
}

/** End of the first `count` characters of `text`, in UTF-16 units. */
function endOfCharacters(text: string, count: number): number {
  if (text.length <= count) return text.length;
  let at = 0;
  for (let seen = 0; seen < count && at < text.length; seen++)
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return at;
}
