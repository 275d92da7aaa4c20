import { type Static, Type } from "@sinclair/typebox";
import type { Work } from "../../../kit/concurrency/others-turn.ts";
import type { GuardrailAction, GuardrailStage } from "../../../manifest/agent/guardrails.ts";
import type { GuardrailVerdict, TextGuardrail } from "../guardrail.ts";
import { heldStream } from "../held-stream.ts";
import type { TextBudget } from "../text-budget.ts";
import { injectionShapes } from "./injection-shapes.ts";
import { attackWords } from "./lexicon.ts";

const sensitivities = ["low", "medium", "high"] as const;

export const promptInjectionOptions = Type.Object(
  {
    sensitivity: Type.Union(
      sensitivities.map((sensitivity) => Type.Literal(sensitivity)),
      {
        description:
          "How much it takes: `low` several signs together, `medium` one clear sign, `high` a faint one, honest texts about prompts included. It misses new attacks: bound an agent by its tools and permissions.",
        default: "medium",
      },
    ),
  },
  { additionalProperties: false },
);

/** Thresholds for the total weight of all shapes in a text. */
const thresholds = { low: 1.5, medium: 1, high: 0.5 } as const;

/**
 * Finds texts that look like prompt injections. This is a heuristic: it knows shapes of attacks, not intentions. An agent's tools and
 * permissions must limit what it can do.
 */
export function promptInjection(
  type: string,
  stage: GuardrailStage,
  action: GuardrailAction,
  { sensitivity = "medium" }: Partial<Static<typeof promptInjectionOptions>>,
): TextGuardrail {
  const threshold = thresholds[sensitivity];
  // Built with the first such guardrail, so that no run waits for it.
  attackWords();
  const check = function* (text: string, budget: TextBudget): Work<GuardrailVerdict> {
    const shapes = yield* budget.once("prompt_injection", text, () => injectionShapes(text, budget));
    const total = [...shapes.values()].reduce((sum, weight) => sum + weight, 0);
    if (total < threshold - 1e-9) return { outcome: "passed", text, hits: 0 };
    const hits = shapes.size;
    if (action !== "block") return { outcome: "passed", text, hits };
    return {
      outcome: "blocked",
      reason: `it looks like a prompt injection (${[...shapes.keys()].join(", ")})`,
      hits,
    };
  };
  return { type, stage, action, check, open: (budget) => heldStream((text) => check(text, budget)) };
}
