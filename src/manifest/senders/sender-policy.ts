import type { Problem } from "../../kit/app-error.ts";
import type { AgentManifest } from "../agent/agent.ts";
import type { RagPipelineManifest } from "../rag-pipeline.ts";
import { agentKeys } from "./agent-keys.ts";
import { type KeyTable, policyProblems } from "./key-policy.ts";
import { pipelineKeys } from "./pipeline-keys.ts";
import type { SenderTerms } from "./policy-terms.ts";
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

function problemsOf(table: KeyTable, manifest: unknown, sender: Sender, terms: SenderTerms): Problem[] {
  if (sender === "file") return [];
  return policyProblems(table, manifest, sender === "owner" ? { sender } : { sender: "stranger", terms });
}
