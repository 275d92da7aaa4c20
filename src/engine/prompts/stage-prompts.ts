import type { AgentManifest } from "../../manifest/agent/agent.ts";

/** Default stages of a pipeline. */
const defaultStages = [
  {
    name: "analyze",
    prompt:
      "Stage 1 of 3, analyze. Work out what the request above asks for: facts given, facts missing, constraints, and what a complete answer must contain. Write the analysis only; do not answer the request yet.",
  },
  {
    name: "process",
    prompt:
      "Stage 2 of 3, process. Carry out what the analysis calls for, with tools where they help.\n\n<result>\n{{ previous }}\n</result>\n\nThe result above is the analysis. Write the findings only, with the figures and sources they rest on.",
  },
  {
    name: "synthesize",
    prompt:
      "Stage 3 of 3, synthesize. Answer the request above for the person who asked it, from these findings alone.\n\n<result>\n{{ previous }}\n</result>",
  },
] as const;

/** The stages of a pipeline agent; empty for other patterns. */
export function declaredStages({
  spec,
}: Pick<AgentManifest, "spec">): readonly { name: string; prompt: string }[] {
  if (spec.orchestration.pattern !== "pipeline") return [];
  return spec.orchestration.stages ?? defaultStages;
}
