import { stringify } from "yaml";

/** Initial text of a new pipeline. */
export const pipelineTemplate = `apiVersion: platform/v1
kind: RAGPipeline
metadata: {name: manuals}
spec:
  description: What the documents are about.
  chunking: {strategy: recursive, chunk_size: 512, overlap: 50}
  embeddings: {provider: local_hash}
  retrieval: {mode: hybrid, top_k: 5}
`;

/** Formats a loaded pipeline as a manifest, without the comments of its file. */
export function pipelineText(name: string, spec: Record<string, unknown>): string {
  const manifest = { apiVersion: "platform/v1", kind: "RAGPipeline", metadata: { name }, spec };
  return stringify(manifest, { lineWidth: 0 });
}
