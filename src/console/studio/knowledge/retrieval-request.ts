import type { QueryRequest } from "../../../contracts/daemon/rag.ts";

/** A retrieval as it stands in the page's address; "" is absent. */
export type RetrievalFields = Readonly<Record<(typeof retrievalFields)[number], string>>;

export const retrievalFields = ["q", "mode", "k", "min", "filters", "rerank"] as const;

/** The filters that were written; undefined: this is no JSON object. */
export function readFilters(text: string): Record<string, unknown> | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    return value as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** What is asked of the daemon; undefined: there is no question, or its filters can't be read. */
export function retrievalRequest(
  { q, mode, k, min, filters, rerank }: RetrievalFields,
  aim: { collection: string; pipeline: string },
): QueryRequest | undefined {
  const read = readFilters(filters);
  if (q.trim() === "" || read === undefined) return undefined;
  const topK = Number(k);
  const threshold = Number(min);
  return {
    collection: aim.collection,
    ...(aim.pipeline === "" ? {} : { pipeline: aim.pipeline }),
    query: q,
    ...(mode === "hybrid" || mode === "vector" || mode === "text" ? { mode } : {}),
    ...(k !== "" && Number.isInteger(topK) ? { top_k: topK } : {}),
    ...(min !== "" && Number.isFinite(threshold) ? { score_threshold: threshold } : {}),
    ...(Object.keys(read).length > 0 ? { filters: read } : {}),
    ...(rerank === "" ? {} : { rerank: rerank === "on" }),
  };
}
