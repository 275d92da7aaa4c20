import type { QueryRequest } from "../../../../contracts/daemon/rag/rag.ts";
import { type NumberRules, readNumber, UnreadableNumber } from "../../../parts/inputs/number-entry.ts";
import { isRecord } from "../../../parts/is-record.ts";

/** A retrieval in the page's address; "" means absent. */
export type RetrievalFields = Readonly<Record<(typeof retrievalFields)[number], string>>;

export const retrievalFields = ["q", "mode", "k", "min", "filters", "rerank"] as const;

/** Rules of the number fields; an empty field means the pipeline's own value. */
export const retrievalRules = {
  k: { decimals: 0, min: 1, max: 1000 },
  min: { decimals: 4, min: 0, max: 1 },
} satisfies Record<string, NumberRules>;

/** Parses the filters; returns undefined if the text is not a JSON object. */
export function readFilters(text: string): Record<string, unknown> | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value)) return undefined;
    return value;
  } catch {
    return undefined;
  }
}

/** Returns the request for the daemon; undefined if there is no question, or its filters or numbers cannot be read. */
export function retrievalRequest(
  { q, mode, k, min, filters, rerank }: RetrievalFields,
  aim: { collection: string; pipeline: string },
): QueryRequest | undefined {
  const read = readFilters(filters);
  const topK = readNumber(k, retrievalRules.k);
  const threshold = readNumber(min, retrievalRules.min);
  if (q.trim() === "" || read === undefined) return undefined;
  if (topK instanceof UnreadableNumber || threshold instanceof UnreadableNumber) return undefined;
  return {
    collection: aim.collection,
    ...(aim.pipeline === "" ? {} : { pipeline: aim.pipeline }),
    query: q,
    ...(mode === "hybrid" || mode === "vector" || mode === "text" ? { mode } : {}),
    ...(topK === null ? {} : { top_k: topK }),
    ...(threshold === null ? {} : { score_threshold: threshold }),
    ...(Object.keys(read).length > 0 ? { filters: read } : {}),
    ...(rerank === "" ? {} : { rerank: rerank === "on" }),
  };
}
