import { AppError, type Problem } from "../../kit/app-error.ts";
import type { Work } from "../../kit/concurrency/others-turn.ts";
import { didYouMean } from "../../kit/text/did-you-mean.ts";
import type { GuardrailEntry, GuardrailStage } from "../../manifest/agent/guardrails.ts";
import { dotted } from "../../manifest/fault.ts";
import { checkValue } from "../../manifest/schema/check-value.ts";
import { BeyondAllowance, type BuildAllowance, createBuildAllowance } from "./build-allowance.ts";
import type { Guardrail } from "./guardrail.ts";
import { guardrailKinds } from "./registry.ts";

/**
 * The guardrails of one stage, in definition order; both stages of an agent share `allowance`. Throws AppError `guardrail_unavailable` with a problem for each entry
 * that can't be built.
 */
export function* buildGuardrails(
  entries: readonly GuardrailEntry[],
  stage: GuardrailStage,
  allowance: BuildAllowance = createBuildAllowance(),
): Work<Guardrail[]> {
  const built: Built[] = [];
  for (const [index, entry] of entries.entries()) {
    built.push(yield* buildGuardrail(entry, stage, `spec.guardrails.${stage}[${index}]`, allowance));
  }
  const problems = built.flatMap((one) => ("problems" in one ? one.problems : []));
  if (problems.length > 0) {
    throw new AppError("invalid", "guardrail_unavailable", "A guardrail can't be built.", {
      details: { problems },
    });
  }
  return built.flatMap((one) => ("guardrail" in one ? [one.guardrail] : []));
}

type Built = { guardrail: Guardrail } | { problems: Problem[] };

function* buildGuardrail(
  { type, action, on_error: onError = "block", ...options }: GuardrailEntry,
  stage: GuardrailStage,
  path: string,
  allowance: BuildAllowance,
): Work<Built> {
  const kind = guardrailKinds.get(type);
  if (!kind) return { problems: [{ path: `${path}.type`, message: unknownType(type) }] };
  if (!kind.stages.includes(stage))
    return { problems: [{ path: `${path}.type`, message: `${type} has no ${stage} stage` }] };
  if (action && !kind.actions.includes(action))
    return { problems: [{ path: `${path}.action`, message: `${type} can't ${action}` }] };
  const read = checkValue(kind.options, options);
  const problems = read.faults.map(({ path: place, message }) => ({ path: dotted(place), message }));
  if (problems.length > 0) return { problems: problems.map((problem) => below(path, problem)) };
  const chosen = read.value as Record<string, unknown>;
  const built = yield* withinAllowance(kind.build(type, stage, action ?? kind.actions[0], chosen, allowance));
  if (!("problems" in built)) return { guardrail: { ...built, onError } };
  return { problems: built.problems.map((problem) => below(path, problem)) };
}

function* withinAllowance<T>(building: Work<T>): Work<T | { problems: Problem[] }> {
  try {
    return yield* building;
  } catch (thrown) {
    if (thrown instanceof BeyondAllowance) return { problems: [{ path: "", message: thrown.message }] };
    throw thrown;
  }
}

function below(path: string, problem: Problem): Problem {
  return { ...problem, path: problem.path === "" ? path : `${path}.${problem.path}` };
}

function unknownType(type: string): string {
  const near = didYouMean(type, guardrailKinds.keys());
  return `${type} is not a kind of guardrail; ${near ? `did you mean ${near}?` : `there are ${[...guardrailKinds.keys()].join(", ")}`}`;
}
