import { AppError, type Problem } from "../../kit/app-error.ts";
import type { Work } from "../../kit/concurrency/others-turn.ts";
import type { AgentManifest } from "../../manifest/agent/agent.ts";
import type { GuardrailStage } from "../../manifest/agent/guardrails.ts";
import { createBuildAllowance } from "./build-allowance.ts";
import { buildGuardrails } from "./build-guardrails.ts";
import { createGuardrailChain, type GuardrailChain } from "./chain.ts";

/** The guardrails of both stages of an agent; a stage with problems has none. */
export interface GuardrailChains {
  input: GuardrailChain | undefined;
  output: GuardrailChain | undefined;
  problems: readonly Problem[];
}

/** Builds the guardrails that a manifest declares. They depend on nothing but the manifest. */
export function* buildChains({ spec }: Pick<AgentManifest, "spec">): Work<GuardrailChains> {
  const allowance = createBuildAllowance();
  const problems: Problem[] = [];
  const chainOf = function* (stage: GuardrailStage): Work<GuardrailChain | undefined> {
    try {
      return createGuardrailChain(yield* buildGuardrails(spec.guardrails[stage], stage, allowance));
    } catch (thrown) {
      if (!(thrown instanceof AppError) || thrown.details.problems === undefined) throw thrown;
      problems.push(...thrown.details.problems);
      return undefined;
    }
  };
  return { input: yield* chainOf("input"), output: yield* chainOf("output"), problems };
}
