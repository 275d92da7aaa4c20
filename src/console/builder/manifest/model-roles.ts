import { defaultStages } from "../../../manifest/agent/agent-kind.ts";
import { valueAt } from "../../../manifest/value-at.ts";

const commonRoles = ["planner", "worker", "synthesizer", "supervisor", "summarizer"];

/** Returns the roles that a manifest may still declare in `spec.model.roles`, with one for each of its stages. */
export function freeRoles(manifest: Record<string, unknown>): string[] {
  const declared = valueAt(manifest, ["spec", "model", "roles"]);
  const taken = typeof declared === "object" && declared !== null ? declared : {};
  const stages = valueAt(manifest, ["spec", "orchestration", "stages"]);
  const names = Array.isArray(stages) ? stages.map((stage) => valueAt(stage, ["name"])) : defaultStages;
  const ofStages = names.flatMap((name) =>
    typeof name === "string" && name !== "" ? [`stage:${name}`] : [],
  );
  return [...new Set([...commonRoles, ...ofStages])].filter((role) => !Object.hasOwn(taken, role));
}
