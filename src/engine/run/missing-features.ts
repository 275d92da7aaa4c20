import type { Problem } from "../../kit/app-error.ts";
import type { AgentManifest } from "../../manifest/agent.ts";

/** What a manifest may declare and this version can't do yet: such an agent is refused, so that nothing is ignored. */
export function missingFeatures({ spec }: AgentManifest): Problem[] {
  const { conversational } = spec.memory;
  const declared: [path: string, isDeclared: boolean][] = [
    ["spec.model.roles", Object.keys(spec.model?.roles ?? {}).length > 0],
    ["spec.orchestration.max_run_tokens", spec.orchestration.max_run_tokens !== null],
    ["spec.orchestration.workers", spec.orchestration.workers !== undefined],
    ["spec.orchestration.stages", spec.orchestration.stages !== undefined],
    ["spec.memory.semantic", spec.memory.semantic !== undefined],
    ["spec.memory.episodic", spec.memory.episodic !== undefined],
    ["spec.memory.conversational.ttl_seconds", conversational?.ttl_seconds !== undefined],
    ["spec.memory.conversational.connection", conversational?.connection !== undefined],
    ["spec.knowledge", spec.knowledge !== undefined],
    ["spec.output_schema", spec.output_schema !== undefined],
    ["spec.chain", spec.chain !== undefined],
    ["spec.channels", spec.channels.length > 0],
  ];
  return declared.flatMap(([path, isDeclared]) =>
    isDeclared ? [{ path, message: "is not available in this version" }] : [],
  );
}
