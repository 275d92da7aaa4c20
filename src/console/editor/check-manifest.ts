import type { ProblemBody } from "../../contracts/error-body.ts";
import { agentKind } from "../../manifest/agent/agent-kind.ts";
import { ragPipelineKind } from "../../manifest/rag-pipeline.ts";
import { checkFile } from "../../manifest/schema/manifest-kind.ts";

/** Checks only the shape: the service checks the names of models, tools, embedders and stores when the manifest is saved. */
const agent = agentKind({});
const pipeline = ragPipelineKind({});

const checks = {
  Agent: (text: string) => checkFile(agent, text),
  RAGPipeline: (text: string) => checkFile(pipeline, text),
};

export type EditedKind = keyof typeof checks;

/** Returns the problems of a manifest's text, with lines, before it is sent. */
export function checkManifest(kind: EditedKind, text: string): readonly ProblemBody[] {
  const checked = checks[kind](text);
  return "problems" in checked ? checked.problems : [];
}
