import { type Static, Type } from "@sinclair/typebox";
import type { GuardrailAction, GuardrailStage } from "../../manifest/agent/guardrails.ts";
import { tokenQuarters } from "../models/token-count.ts";
import type { AnswerLimit, LimitGuardrail } from "./guardrail.ts";
import { wholeCharacters } from "./whole-characters.ts";

export const costLimitOptions = Type.Object(
  {
    max_tokens_per_turn: Type.Integer({
      description:
        "Most tokens of one answer, estimated from its text without tool calls. `redact` cuts the answer there and ends the model's call.",
      minimum: 1,
      maximum: 1_000_000,
    }),
  },
  { additionalProperties: false },
);

/** Limits the tokens of an answer; redacting cuts the answer at the limit and ends the model's call. */
export function costLimit(
  type: string,
  stage: GuardrailStage,
  action: GuardrailAction,
  { max_tokens_per_turn }: Static<typeof costLimitOptions>,
): LimitGuardrail {
  return { type, stage, action, limit: () => openLimit(action, max_tokens_per_turn) };
}

function openLimit(action: GuardrailAction, tokensMax: number): AnswerLimit {
  let quartersLeft = tokensMax * 4;
  let isExceeded = false;
  const characters = wholeCharacters();

  return {
    take(piece) {
      if (isExceeded) return action === "redact" ? "" : piece;
      if (action !== "redact") {
        quartersLeft -= tokenQuarters(piece);
        isExceeded = quartersLeft < 0;
        return piece;
      }
      const text = characters.join(piece);
      const quarters = tokenQuarters(text);
      if (quarters <= quartersLeft) {
        quartersLeft -= quarters;
        return text;
      }
      isExceeded = true;
      return text.slice(0, endOfQuarters(text, quartersLeft));
    },
    get isReached() {
      return isExceeded && action === "redact";
    },
    get blocked() {
      return isExceeded && action === "block" ? `it is longer than ${tokensMax} tokens` : undefined;
    },
    get hits() {
      return isExceeded ? 1 : 0;
    },
  };
}

/** End of the longest prefix of `text` in whole characters that costs at most `quarters` quarter tokens. */
function endOfQuarters(text: string, quarters: number): number {
  let end = 0;
  let left = quarters;
  for (const character of text) {
    left -= tokenQuarters(character);
    if (left < 0) break;
    end += character.length;
  }
  return end;
}
