import { AppError } from "../../../kit/app-error.ts";
import type { Reranker } from "../../reranking/reranker.ts";
import type { VectorFilter } from "../../stores/filters/vector-filter.ts";
import { readRowId } from "../../stores/row-id.ts";
import type { CollectionLook } from "../collections/collection-registry.ts";
import { openHeld, requireFit } from "../collections/open-collection.ts";
import type { RagPipeline, SearchMode } from "../rag-pipeline.ts";
import type { RagPorts } from "../rag-ports.ts";
import { currentHits, type HitLists, type Wanted } from "./current-hits.ts";
import { fuseRanks, rankScore } from "./reciprocal-rank-fusion.ts";

type SearchPorts = Pick<RagPorts, "registry" | "held">;

/** A search; absent settings have the pipeline's values. */
export interface PassageQuery {
  tenant: string;
  /** Name of the collection. */
  collection: string;
  query: string;
  topK?: number | undefined;
  threshold?: number | undefined;
  /** `hybrid` and `text` are refused if the store has no search by words. */
  mode?: SearchMode | undefined;
  /** Applies in addition to the pipeline's filter. */
  filter?: VectorFilter | undefined;
  rerank?: boolean | undefined;
  signal: AbortSignal;
}

/** Where a passage stands. */
export interface Citation {
  documentId: string;
  chunk: number;
  start: number;
  end: number;
  page?: number;
  section?: string;
}

/** A passage found by a search. */
export interface FoundPassage {
  text: string;
  /** Cosine similarity to the query, 0 to 1, for any search mode. */
  score: number;
  /** Score that determines its rank. */
  rankScore: number;
  metadata: Record<string, unknown>;
  citation: Citation;
}

/**
 * The best passages for a question, best first; undefined if there is no such collection. Only current, complete documents are found.
 * Throws AppError `reindex_needed`, `collection_elsewhere` (409), `mode_unavailable` (400), or the errors of embedder, store and reranker.
 */
export async function findPassages(
  ports: SearchPorts,
  pipeline: RagPipeline,
  question: PassageQuery,
): Promise<FoundPassage[] | undefined> {
  const { registry } = ports;
  const { tenant, collection: name } = question;
  const look = await registry.look(tenant, name);
  if (look === undefined) return undefined;
  try {
    return await search(ports, pipeline, question, look);
  } catch (thrown) {
    // The rows may have been dropped during the search. Then the collection has been replaced or removed.
    const now = await registry.look(tenant, name).catch(() => look);
    if (now === undefined) return undefined;
    if (now.collection.vectors === look.collection.vectors) throw thrown;
    return search(ports, pipeline, question, now);
  }
}

async function search(
  ports: SearchPorts,
  pipeline: RagPipeline,
  question: PassageQuery,
  look: CollectionLook,
): Promise<FoundPassage[]> {
  const { signal } = question;
  requireFit(look.collection, pipeline);
  const topK = question.topK ?? pipeline.retrieval.topK;
  const isReranked = wantsReranking(question, pipeline);
  const [rows, vector] = await Promise.all([
    openHeld(ports, pipeline, look.collection),
    pipeline.embedder.embed([question.query], "query", signal),
  ]);
  const mode = modeOf(question, pipeline, rows.matching !== undefined);
  const candidates = isReranked ? candidatesFor(topK) : topK;
  const wanted: Wanted = {
    mode,
    text: question.query,
    vector,
    // Lists cut at the number of wanted results would miss items that rank high in both combined.
    count: mode === "hybrid" ? depthFor(candidates) : candidates,
    filters: [pipeline.retrieval.filter, question.filter ?? {}],
    signal,
  };
  const lists = await currentHits(ports.registry, { look, rows }, wanted);
  // An empty result may come from a store that was emptied a moment ago.
  const isEmpty = lists.nearest.length + lists.matching.length === 0;
  if (isEmpty && look.collection.newest !== null) await openHeld(ports, pipeline, look.collection, true);
  const threshold = question.threshold ?? pipeline.retrieval.threshold;
  const candidatesFound = ranked(mode, lists)
    .filter(({ score }) => score >= threshold)
    .slice(0, candidates);
  if (!isReranked || pipeline.reranker === undefined) return candidatesFound;
  const passagesMax = question.topK ?? pipeline.rerankTopK ?? topK;
  return (await rerank(pipeline.reranker, question.query, candidatesFound, signal)).slice(0, passagesMax);
}

/** Depth of both lists in a hybrid search. */
const depthFor = (count: number) => Math.max(4 * count, 40);

/** Number of passages for a reranker. */
const candidatesFor = (topK: number) => Math.max(Math.min(4 * topK, 100), topK);

function modeOf(question: PassageQuery, { retrieval, store }: RagPipeline, hasText: boolean): SearchMode {
  const mode = question.mode ?? retrieval.mode;
  if (hasText || mode === "vector") return mode;
  // The pipeline's mode may be the default, which means the best mode of the store.
  if (question.mode === undefined && mode === "hybrid") return "vector";
  throw new AppError(
    "invalid",
    "mode_unavailable",
    `${store.backend} has no search by words, so ${mode} can't be searched by.`,
    { details: { hint: "Search by vector." } },
  );
}

function wantsReranking({ rerank }: PassageQuery, pipeline: RagPipeline): boolean {
  if (rerank !== true || pipeline.reranker !== undefined) return rerank ?? pipeline.isReranking;
  const subject = pipeline.name === undefined ? "No pipeline" : `Pipeline ${pipeline.name}`;
  throw new AppError("invalid", "no_reranker", `${subject} names a reranker for this collection.`, {
    details: { hint: "Name one in the pipeline's spec.reranking, or leave `rerank` out." },
  });
}

function ranked(mode: SearchMode, { nearest, matching }: HitLists): FoundPassage[] {
  if (mode === "hybrid") return fuseRanks([nearest, matching]).map(passage);
  if (mode === "vector") return nearest.map((hit) => passage({ ...hit, rankScore: hit.score }));
  return matching.map((hit, index) => passage({ ...hit, rankScore: rankScore(index + 1) }));
}

function passage({
  id,
  group,
  text,
  score,
  rankScore,
  metadata,
}: HitLists["nearest"][number] & { rankScore: number }): FoundPassage {
  const { write, row, ...place } = readRowId(id);
  return { text, score, rankScore, metadata, citation: { documentId: group, ...place } };
}

/** The passages in the reranker's order; equal ones keep their order. */
async function rerank<Passage extends { text: string; rankScore: number }>(
  reranker: Reranker,
  query: string,
  passages: readonly Passage[],
  signal: AbortSignal,
): Promise<Passage[]> {
  if (passages.length === 0) return [];
  const texts = passages.map(({ text }) => text);
  const scores = await reranker.score(query, texts, signal);
  return passages
    .map((passage, index) => ({ ...passage, rankScore: scores[index] ?? 0 }))
    .sort((a, b) => b.rankScore - a.rankScore);
}
