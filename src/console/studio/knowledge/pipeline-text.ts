import { stringify } from "yaml";

/** What a new pipeline begins with. */
export const pipelineTemplate = `apiVersion: platform/v1
kind: RAGPipeline
metadata: {name: manuals}
spec:
  description: What the documents are about.
  chunking: {strategy: recursive, chunk_size: 512, overlap: 50}
  embeddings: {provider: local_hash}
  retrieval: {mode: hybrid, top_k: 5}
`;

/** A loaded pipeline as a manifest; comments of its file are not known. */
export function pipelineText(name: string, spec: Record<string, unknown>): string {
  const manifest = { apiVersion: "platform/v1", kind: "RAGPipeline", metadata: { name }, spec };
  return stringify(manifest, { lineWidth: 0 });
}
