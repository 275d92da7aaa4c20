import type { ProblemBody } from "../../contracts/error-body.ts";
import { checkFile } from "../../manifest/manifest-kind.ts";
import { agentKind } from "../../manifest/parse-agent.ts";
import { ragPipelineKind } from "../../manifest/rag-pipeline.ts";

/** By shape alone: which models, tools, embedders and stores there are the service says when the manifest is saved. */
const agent = agentKind({});
const pipeline = ragPipelineKind({});

const checks = {
  Agent: (text: string) => checkFile(agent, text),
  RAGPipeline: (text: string) => checkFile(pipeline, text),
};

export type ManifestKindName = keyof typeof checks;

/** What is wrong with a manifest's text before it is sent, with lines. */
export function checkManifest(kind: ManifestKindName, text: string): readonly ProblemBody[] {
  const checked = checks[kind](text);
  return "problems" in checked ? checked.problems : [];
}
