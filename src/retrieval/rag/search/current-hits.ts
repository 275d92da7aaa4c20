import type { VectorFilter } from "../../stores/filters/vector-filter.ts";
import { readRowId } from "../../stores/row-id.ts";
import type { VectorCollection, VectorHit } from "../../stores/vector-store.ts";
import { hasContent } from "../../stores/words/search-words.ts";
import type {
  CollectionKeyOf,
  CollectionLook,
  CollectionRegistry,
} from "../collections/collection-registry.ts";
import type { SearchMode } from "../rag-pipeline.ts";
import { combineFilters } from "./combine-filters.ts";

export interface Wanted {
  mode: SearchMode;
  text: string;
  vector: Float32Array;
  /** Number of hits in each list, if there are that many. */
  count: number;
  /** All must hold. */
  filters: readonly VectorFilter[];
  signal: AbortSignal;
}

/** Hits by similarity and hits by words; empty for a search type that is not used. */
export interface HitLists {
  nearest: VectorHit[];
  matching: VectorHit[];
}

interface Place {
  look: CollectionLook;
  rows: VectorCollection;
}

/** If documents keep changing, the result of the last search is used. */
const roundsMax = 6;

/** Maximum dead rows for which a search reserves room in advance; for more it searches again if needed. */
const staleMax = 1000;

/**
 * Hits of current documents. The store excludes rows of pending and dead writes. If a document changed since the look, its current write
 * shows that, and the search is repeated. So a replaced document is found in its old or its new version, never in both or in neither.
 */
export async function currentHits(
  registry: CollectionRegistry,
  { look: firstLook, rows }: Place,
  wanted: Wanted,
): Promise<HitLists> {
  const filter = combineFilters(wanted.filters);
  if (filter === undefined) return { nearest: [], matching: [] };
  const { tenant, id, name } = firstLook.collection;
  const key = { tenant, collection: id };
  let look: CollectionLook | undefined = firstLook;
  let more = 0;
  for (let round = 1; ; round++) {
    const known: CollectionLook = look;
    const limit = wanted.count + Math.min(staleCount(known), staleMax) + more;
    const hits = await search(rows, wanted, { limit, filter, exceptWrites: known.hidden });
    const current = await registry.currentWrites(key, groupsOf(hits));
    const isCurrent = ({ id, group }: VectorHit) => current.get(group) === readRowId(id).write;
    const lists = [hits.nearest, hits.matching].map((hits) => hits.filter(isCurrent));
    const gone = [...hits.nearest, ...hits.matching].filter((hit) => !isCurrent(hit));
    const strays = gone.filter((hit) => !isStale(known, hit));
    // A list shorter than requested is complete.
    const isShort = [hits.nearest, hits.matching].some(
      (hits, index) => hits.length >= limit && (lists[index]?.length ?? 0) < wanted.count,
    );
    const [nearest = [], matching = []] = lists.map((hits) => hits.slice(0, wanted.count));
    if ((strays.length === 0 && !isShort) || round === roundsMax) return { nearest, matching };
    // The second time it is not a concurrent change: a process that was considered dead has added rows.
    if (round > 1) await reportStrays(registry, key, strays);
    more = 2 * more + gone.length;
    look = await registry.look(tenant, name);
    if (look?.collection.id !== id) return { nearest: [], matching: [] };
  }
}

async function search(
  rows: VectorCollection,
  { mode, text, vector, signal }: Wanted,
  { limit, filter, exceptWrites }: { limit: number; filter: VectorFilter; exceptWrites: readonly string[] },
): Promise<HitLists> {
  const query = {
    vector,
    limit,
    signal,
    ...(Object.keys(filter).length > 0 && { filter }),
    ...(exceptWrites.length > 0 && { exceptWrites }),
  };
  // Models have a vector even for a question mark.
  if (!hasContent(text)) return { nearest: [], matching: [] };
  // A question without content for the embedder is similar to nothing.
  const hasDirection = vector.some((value) => value !== 0);
  const [nearest, matching] = await Promise.all([
    mode !== "text" && hasDirection ? rows.nearest(query) : [],
    mode === "vector" ? [] : (rows.matching?.({ ...query, text }) ?? []),
  ]);
  return { nearest, matching };
}

const groupsOf = ({ nearest, matching }: HitLists) => [
  ...new Set([...nearest, ...matching].map(({ group }) => group)),
];

const staleCount = ({ stale }: CollectionLook) => stale.reduce((sum, { chunks }) => sum + chunks, 0);

/** Returns true if the look listed these rows as dead. */
function isStale({ stale }: CollectionLook, { id, group }: VectorHit): boolean {
  return stale.some(({ write, documentId }) => documentId === group && readRowId(id).write === write);
}

async function reportStrays(
  registry: CollectionRegistry,
  key: CollectionKeyOf,
  strays: readonly VectorHit[],
): Promise<void> {
  const rows = new Map(strays.map(({ id, group }) => [`${readRowId(id).write} ${group}`, { id, group }]));
  for (const { id, group } of rows.values()) {
    await registry.reportStray(key, { write: readRowId(id).write, documentId: group, chunks: 1 });
  }
}
