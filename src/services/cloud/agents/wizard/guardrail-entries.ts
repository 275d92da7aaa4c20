import type { GuardrailChoice } from "../../../../contracts/cloud/agents.ts";
import { guardrailKinds } from "../../../../engine/guardrails/registry.ts";
import type { Problem } from "../../../../kit/app-error.ts";
import type { Work } from "../../../../kit/concurrency/others-turn.ts";
import { didYouMean } from "../../../../kit/text/did-you-mean.ts";
import { agentKind } from "../../../../manifest/agent/agent-kind.ts";
import { guardrailOptions } from "../../../../manifest/agent/guardrails.ts";
import { publishedSchema } from "../../../../manifest/schema/json-schema.ts";
import { checkSentDocument } from "../../../../manifest/schema/manifest-kind.ts";

export type WizardStage = "input" | "output";

/** Guardrails that a config may name, by stage. */
export const guardrailNames: Readonly<Record<WizardStage, readonly string[]>> = {
  input: ["pii_detection", "topic_filter", "max_length", "prompt_injection"],
  output: ["pii_detection", "content_filter", "cost_limit"],
};

const aliases: Readonly<Record<string, string>> = {
  pii_filter: "pii_detection",
  content_safety: "content_filter",
};

/** Writes a guardrail as a manifest has it: `{type, …options}`. */
export function guardrailEntry(choice: GuardrailChoice): { type: string } & Record<string, unknown> {
  const entry = typeof choice === "string" ? { type: choice } : choice;
  return {
    ...entry,
    type: Object.hasOwn(aliases, entry.type) ? (aliases[entry.type] ?? entry.type) : entry.type,
  };
}

const kind = agentKind({ guardrails: guardrailKinds });

/**
 * Returns the faults of one guardrail of a config, with their paths below `path`. Options that are missing altogether are found when the
 * agent is deployed.
 */
export function* guardrailProblems(
  choice: GuardrailChoice,
  stage: WizardStage,
  path: string,
): Work<Problem[]> {
  const entry = guardrailEntry(choice);
  const names = guardrailNames[stage];
  if (!names.includes(entry.type)) {
    const nearest = didYouMean(entry.type, names);
    const mend = nearest === undefined ? `there are ${names.join(", ")}` : `did you mean ${nearest}?`;
    return [{ path, message: `is not an ${stage} guardrail; ${mend}` }];
  }
  if (Object.keys(entry).length === 1) return [];
  const checked = yield* checkSentDocument(kind, {
    apiVersion: "platform/v1",
    kind: "Agent",
    metadata: { name: "draft" },
    spec: { guardrails: { [stage]: [entry] } },
  });
  if (!("problems" in checked)) return [];
  const prefix = `spec.guardrails.${stage}[0]`;
  return checked.problems.map((problem) => ({
    path: problem.path.startsWith(prefix) ? `${path}${problem.path.slice(prefix.length)}` : path,
    message: problem.message,
  }));
}

/** A stage's guardrails with their options. */
export const guardrailCatalog = (stage: WizardStage) =>
  guardrailNames[stage].flatMap((name) => {
    const row = guardrailKinds.get(name);
    if (row === undefined) return [];
    return { name, description: row.description, options: publishedSchema(guardrailOptions(row)) };
  });
