import { AppError } from "../../kit/app-error.ts";
import { didYouMean } from "../../kit/did-you-mean.ts";
import type { GuardrailEntry } from "../../manifest/guardrails.ts";
import type { Guardrail, GuardrailStage } from "./guardrail.ts";
import { guardrailKinds } from "./registry.ts";

/**
 * The guardrails of one stage, in definition order. Throws AppError `guardrail_unavailable` with a problem for each entry
 * that can't be built.
 */
export function buildGuardrails(entries: readonly GuardrailEntry[], stage: GuardrailStage): Guardrail[] {
  const problems = entries.flatMap(({ type, action }, index) => {
    const path = `spec.guardrails.${stage}[${index}]`;
    const kind = guardrailKinds.get(type);
    if (!kind) return [{ path: `${path}.type`, message: unknownType(type) }];
    if (!kind.stages.includes(stage))
      return [{ path: `${path}.type`, message: `${type} has no ${stage} stage` }];
    if (action && !kind.actions.includes(action))
      return [{ path: `${path}.action`, message: `${type} can't ${action}` }];
    return [];
  });
  if (problems.length > 0) {
    throw new AppError("invalid", "guardrail_unavailable", "A guardrail can't be built.", {
      details: { problems },
    });
  }
  return entries.flatMap(({ type, action, ...options }) => {
    const kind = guardrailKinds.get(type);
    return kind ? [kind.build(type, stage, action ?? kind.actions[0], options)] : [];
  });
}

function unknownType(type: string): string {
  const near = didYouMean(type, guardrailKinds.keys());
  return `${type} is no kind of guardrail; ${near ? `did you mean ${near}?` : `there are ${[...guardrailKinds.keys()].join(", ")}`}`;
}
