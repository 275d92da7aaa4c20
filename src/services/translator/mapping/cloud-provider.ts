import type { SpecKind, Translation } from "../../../contracts/translator/translation.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { AgentManifest } from "../../../manifest/agent/agent.ts";
import type { RagPipelineManifest } from "../../../manifest/rag-pipeline.ts";
import { agentTable as awsAgentTable } from "./aws/agent-table.ts";
import { pipelineTable as awsPipelineTable } from "./aws/pipeline-table.ts";
import { agentTable as gcpAgentTable } from "./gcp/agent-table.ts";
import { pipelineTable as gcpPipelineTable } from "./gcp/pipeline-table.ts";
import { type ReadManifest, type SectionTable, translateBy } from "./section-table.ts";

/** A cloud that manifests can be translated to. */
export interface CloudProvider {
  id: string;
  title: string;
  agent: SectionTable<AgentManifest>;
  pipeline: SectionTable<RagPipelineManifest>;
}

/** Every cloud; the first is the default. */
export const cloudProviders: readonly CloudProvider[] = [
  { id: "gcp", title: "Google Cloud", agent: gcpAgentTable, pipeline: gcpPipelineTable },
  { id: "aws", title: "Amazon Web Services", agent: awsAgentTable, pipeline: awsPipelineTable },
];

export const defaultProvider = "gcp";

/** Throws `unknown_provider` (422). */
export function getProvider(id: string): CloudProvider {
  const provider = cloudProviders.find((provider) => provider.id === id);
  if (provider !== undefined) return provider;
  const known = cloudProviders.map((provider) => provider.id).join(", ");
  throw new AppError("unprocessable", "unknown_provider", `There is no provider ${id}.`, {
    details: { hint: `Providers are ${known}.` },
  });
}

/** A manifest of either kind, as it was read. */
export type ReadSpec =
  | ({ kind: "Agent"; name: string } & ReadManifest<AgentManifest>)
  | ({ kind: "RAGPipeline"; name: string } & ReadManifest<RagPipelineManifest>);

/** Translates a manifest for a cloud. */
export function translate(provider: CloudProvider, spec: ReadSpec): Translation {
  const { kind, name } = spec;
  const translated =
    spec.kind === "Agent" ? translateBy(provider.agent, spec) : translateBy(provider.pipeline, spec);
  return { kind, name, provider: provider.id, ...translated };
}

/** The text of a spec in references and labels. */
export const specText = ({ kind, name }: { kind: SpecKind; name: string }): string => `${kind}/${name}`;
