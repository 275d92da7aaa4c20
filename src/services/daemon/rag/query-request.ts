import type { QueryAnswer, QueryRequest, RagPassage } from "../../../contracts/daemon/rag/rag.ts";
import { AppError } from "../../../kit/app-error.ts";
import { hasVisibleText } from "../../../retrieval/rag/ingest/document-content.ts";
import type { FoundPassage } from "../../../retrieval/rag/search/find-passages.ts";
import { collectionNotFound } from "../../../retrieval/rag/upkeep/remove-document.ts";
import { readFilter } from "../../../retrieval/stores/filters/read-filter.ts";
import { type DaemonRag, pipelineAsked, searchCounted } from "./daemon-rag.ts";

/** Finds passages in a collection that answer a question. */
export async function answerQuery(
  rag: DaemonRag,
  tenant: string,
  request: QueryRequest,
  signal: AbortSignal,
): Promise<QueryAnswer> {
  const { query } = request;
  if (request.collection === undefined && request.pipeline === undefined) throw noCollection();
  if (!hasVisibleText(query)) throw blankQuery();
  const filter = request.filters === undefined ? undefined : readFilter(request.filters, "filters");
  const pipeline = await pipelineAsked(rag, { tenant, ...request });
  const collection = request.collection ?? pipeline.collection;
  const passages = await searchCounted(rag, pipeline, {
    tenant,
    collection,
    query,
    topK: request.top_k,
    threshold: request.score_threshold,
    mode: request.mode,
    filter,
    rerank: request.rerank,
    signal,
  });
  if (passages !== undefined) return { results: passages.map(presentPassage) };
  // A pipeline's collection is created with its first document. Until then, the result is empty.
  if (collection === pipeline.collection && pipeline.name !== undefined) return { results: [] };
  throw collectionNotFound(collection);
}

function presentPassage({ text, score, rankScore, metadata, citation }: FoundPassage): RagPassage {
  const { documentId, ...place } = citation;
  return {
    text,
    score,
    rank_score: rankScore,
    metadata,
    citation: { document_id: documentId, ...place },
  };
}

function noCollection(): AppError {
  return new AppError("invalid", "invalid_request", "The body is not valid: collection is required.", {
    details: { problems: [{ path: "collection", message: "is required" }] },
  });
}

function blankQuery(): AppError {
  return new AppError("invalid", "invalid_request", "The query is blank.", {
    details: { problems: [{ path: "query", message: "must not be blank" }] },
  });
}
