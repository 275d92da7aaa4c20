import type { Problem } from "../../kit/app-error.ts";
import { exceedsSecrets } from "../../kit/secrets/learn-secret.ts";
import type { AgentManifest } from "../agent/agent.ts";
import type { RagPipelineManifest } from "../rag-pipeline.ts";
import { agentKeys } from "./agent-keys.ts";
import { type KeyTable, policyProblems } from "./key-policy.ts";
import { pipelineKeys } from "./pipeline-keys.ts";
import type { SenderTerms, TenantTerms } from "./policy-terms.ts";
import type { Sender } from "./sender.ts";

/** Returns the parts of an agent that its sender is not allowed to set; none for a file of the operator. */
export const senderProblems = (manifest: AgentManifest, sender: Sender, terms: SenderTerms): Problem[] =>
  problemsOf(agentKeys, manifest, sender, terms);

/** Returns the parts of a pipeline that its sender is not allowed to set; none for a file of the operator. */
export const pipelineSenderProblems = (
  manifest: RagPipelineManifest,
  sender: Sender,
  terms: SenderTerms,
): Problem[] => problemsOf(pipelineKeys, manifest, sender, terms);

function problemsOf(
  table: KeyTable,
  manifest: { spec: unknown },
  sender: Sender,
  terms: SenderTerms,
): Problem[] {
  if (sender === "file") return [];
  if (sender === "owner") return policyProblems(table, manifest, { sender });
  return [...policyProblems(table, manifest, { sender: "stranger", terms }), ...secretProblems(manifest)];
}

/** Limits for the secrets of a sent manifest: each is masked in about forty spellings, and preparing them blocks the event loop. */
const secretsMax = { secrets: 200, characters: 32 * 1024 };

function secretProblems({ spec }: { spec: unknown }): Problem[] {
  if (!exceedsSecrets(spec, secretsMax)) return [];
  const message = `has more than ${secretsMax.secrets} secrets, or secrets of more than 32 KiB together; send fewer headers and keys`;
  return [{ path: "spec", message }];
}

/**
 * Returns the parts of a tenant's manifest that would reach the operator's machine, keys, databases or private network, or another tenant,
 * by the rules of `agent-keys.ts`. The manifest was read without variables, and every name in it resolves inside the tenant.
 */
export const tenantProblems = (manifest: AgentManifest, terms: TenantTerms): Problem[] => [
  ...policyProblems(agentKeys, manifest, { sender: "tenant", terms }),
  ...secretProblems(manifest),
];
