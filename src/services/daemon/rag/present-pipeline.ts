import type { PipelineView } from "../../../contracts/daemon/rag/rag-pipelines.ts";
import type { PipelineEntry } from "./pipeline-library.ts";

/** Converts a pipeline to the form that the list returns. */
export function presentPipeline({ name, file, version, manifest, fault }: PipelineEntry): PipelineView {
  return {
    name,
    description: manifest?.spec.description ?? "",
    collection: manifest?.spec.collection ?? name,
    status: version === undefined ? "failed" : "ready",
    ...(fault && { error: fault.message }),
    ...(fault && fault.problems.length > 0 && { problems: fault.problems }),
    persisted: file !== undefined,
    ...(file !== undefined && { file }),
  };
}
