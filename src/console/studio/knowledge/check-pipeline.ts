import type { ProblemBody as Problem } from "../../../contracts/error-body.ts";
import { checkFile } from "../../../manifest/manifest-kind.ts";
import { ragPipelineKind } from "../../../manifest/rag-pipeline.ts";

/** By shape alone: which embedders and stores there are the daemon says when the pipeline is saved. */
const shape = ragPipelineKind({});

/** What is wrong with a pipeline's text before it is sent, with lines. */
export function checkPipeline(text: string): Problem[] {
  const checked = checkFile(shape, text);
  return "problems" in checked ? checked.problems : [];
}
