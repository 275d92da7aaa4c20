import { cutText } from "../../kit/text/cut-text.ts";
import type { Chunker } from "../chunking/chunker.ts";
import type { Embedder } from "../embedding/embedder.ts";
import type { VectorFilter } from "../stores/filters/vector-filter.ts";
import type {
  CollectionKey,
  RowSelection,
  VectorBatch,
  VectorCollection,
  VectorHit,
  VectorStore,
} from "../stores/vector-store.ts";
import { hasContent } from "../stores/words/search-words.ts";

/** Owner of memory texts. */
export interface MemoryKey {
  tenant: string;
  agent: string;
}

/** A text to store. */
export interface MemoryText {
  /** Unique in the agent's memory. */
  id: string;
  /** Empty: no session. */
  session: string;
  user: string;
  /** Exchange from which it comes; a search may exclude all texts of one. */
  origin: string;
  text: string;
  /** JSON; keys that begin with `argosy_` are reserved. */
  metadata: Readonly<Record<string, unknown>>;
}

/** A stored text, or a piece of a long one. */
export interface KeptText extends Omit<MemoryText, "metadata"> {
  metadata: Record<string, unknown>;
  /** Id of the row, which defines its order among all rows of the agent. */
  row: string;
}

export type FoundText = KeptText & { score: number };

export interface MemoryQuery {
  query: string;
  limit: number;
  scoreMin: number;
  selection?: TextSelection;
  /** Texts of these origins are excluded. */
  exceptOrigins?: readonly string[];
  signal: AbortSignal;
}

/** Conditions that must all hold; for `users`, one of them must match. */
export interface TextSelection {
  id?: string;
  session?: string;
  users?: readonly string[];
}

/** Maximum pieces of a text; the rest is cut. Longer texts are documents and belong in a pipeline. */
const piecesMax = 100;
/** Maximum characters of a query; only its beginning is searched. */
const queryLengthMax = 8192;
/** Rows read in one step. */
const rowsTogether = 500;

/** An agent's texts in a vector store, searched by similarity. Throws the errors of store and embedder. */
export interface MemoryIndex {
  readonly store: VectorStore;
  readonly embedder: Embedder;
  /** Adds texts durably, long ones in pieces. A text whose id exists is not added again. */
  add(key: MemoryKey, texts: readonly MemoryText[], signal: AbortSignal): Promise<void>;
  /** The most similar texts, best first. */
  search(key: MemoryKey, query: MemoryQuery): Promise<FoundText[]>;
  /** Removes the selected texts; an empty selection removes nothing. `dimension`: that of the stored vectors. */
  remove(key: MemoryKey, dimension: number, selection: TextSelection): Promise<void>;
  /** Lists the selected texts row by row; with `after`, those after that row. */
  list(
    key: MemoryKey,
    dimension: number,
    selection: TextSelection,
    page: { after?: string; limit: number },
  ): Promise<KeptText[]>;
  /** Removes all texts of an agent. */
  drop(key: MemoryKey): Promise<void>;
}

export function createMemoryIndex(store: VectorStore, embedder: Embedder, cut: Chunker): MemoryIndex {
  const open = async (key: MemoryKey, signal: AbortSignal) =>
    store.open(memoryKey(key), await embedder.dimension(signal));
  return {
    store,
    embedder,
    async add(key, texts, signal) {
      const pieces = await piecesOf(texts, cut, signal);
      if (pieces.length === 0) return;
      const vectors = await embedder.embed(
        pieces.map(({ text }) => text),
        "document",
        signal,
      );
      await addByOrigin(await open(key, signal), pieces, vectors);
    },
    async search(key, { query, limit, scoreMin, selection = {}, exceptOrigins = [], signal }) {
      if (!hasContent(query)) return [];
      const vector = await embedder.embed([cutText(query, queryLengthMax)], "query", signal);
      if (vector.every((value) => value === 0)) return [];
      const collection = await open(key, signal);
      const filter = filterOf(selection);
      const hits = await collection.nearest({
        vector,
        limit,
        signal,
        ...(filter && { filter }),
        ...(exceptOrigins.length > 0 && { exceptWrites: exceptOrigins }),
      });
      return hits
        .filter(({ score }) => score > 0 && score >= scoreMin)
        .map((hit) => ({ ...keptText(hit), score: hit.score }));
    },
    async remove(key, dimension, selection) {
      const rows = rowsOf(selection);
      if (rows !== undefined) await (await store.open(memoryKey(key), dimension)).remove(rows);
    },
    async list(key, dimension, selection, page) {
      const collection = await store.open(memoryKey(key), dimension);
      const rows = await collection.list(rowsOf(selection) ?? {}, page);
      return rows.map(keptText);
    },
    drop: (key) => store.drop(memoryKey(key)),
  };
}

/** All selected texts of a memory, row by row. */
export async function* everyRow(
  index: MemoryIndex,
  key: MemoryKey,
  dimension: number,
  selection: TextSelection,
): AsyncGenerator<KeptText> {
  let after: string | undefined;
  for (;;) {
    const page = { limit: rowsTogether, ...(after !== undefined && { after }) };
    const rows = await index.list(key, dimension, selection, page);
    yield* rows;
    after = rows.at(-1)?.row;
    if (rows.length < rowsTogether) return;
  }
}

/** Collection key of an agent's texts in a store. */
export const memoryKey = ({ tenant, agent }: MemoryKey): CollectionKey => ({
  tenant,
  kind: "memory",
  name: agent,
});

/** Reserved keys of a row's metadata. */
const own = {
  id: "argosy_id",
  session: "argosy_session",
  user: "argosy_user",
  origin: "argosy_origin",
} as const;

interface Piece extends MemoryText {
  row: string;
}

async function piecesOf(texts: readonly MemoryText[], cut: Chunker, signal: AbortSignal): Promise<Piece[]> {
  const pieces: Piece[] = [];
  for (const whole of texts) {
    if (whole.text.trim() === "") continue;
    const chunks = await cut(whole.text, signal);
    const textPieces = chunks.filter(({ text }) => text.trim() !== "").slice(0, piecesMax);
    for (const [index, { text }] of textPieces.entries()) {
      const metadata =
        textPieces.length === 1
          ? whole.metadata
          : { ...whole.metadata, piece: index + 1, pieces: textPieces.length };
      const row = `${whole.id}#${String(index + 1).padStart(3, "0")}`;
      pieces.push({ ...whole, row, text: text.trim(), metadata });
    }
  }
  return pieces;
}

/** One batch per origin, because a batch belongs to one write. */
async function addByOrigin(
  collection: VectorCollection,
  pieces: readonly Piece[],
  vectors: Float32Array,
): Promise<void> {
  const { dimension } = collection;
  const places = Map.groupBy(pieces.keys(), (place) => pieces[place]?.origin ?? "");
  const adding = [...places].map(([origin, some]) => {
    const rows = some.flatMap((place) => pieces[place] ?? []);
    const batch: VectorBatch = {
      ids: rows.map(({ row }) => row),
      groups: rows.map(({ session }) => groupOf(session)),
      write: origin,
      texts: rows.map(({ text }) => text),
      metadata: rows.map(storedMetadata),
      vectors: new Float32Array(rows.length * dimension),
    };
    for (const [index, place] of some.entries()) {
      batch.vectors.set(vectors.subarray(place * dimension, (place + 1) * dimension), index * dimension);
    }
    return collection.add(batch);
  });
  await Promise.all(adding);
}

function storedMetadata({ metadata, id, session, user, origin }: Piece): Record<string, unknown> {
  return { ...metadata, [own.id]: id, [own.session]: session, [own.user]: user, [own.origin]: origin };
}

function keptText({ id: row, text, metadata }: Omit<VectorHit, "score">): KeptText {
  const { [own.id]: id, [own.session]: session, [own.user]: user, [own.origin]: origin, ...rest } = metadata;
  return {
    row,
    text,
    id: String(id ?? row),
    session: String(session ?? ""),
    user: String(user ?? ""),
    origin: String(origin ?? ""),
    metadata: rest,
  };
}

function filterOf({ id, session, users }: TextSelection): VectorFilter | undefined {
  const filter = {
    ...(id !== undefined && { [own.id]: { eq: id } }),
    ...(session !== undefined && { [own.session]: { eq: session } }),
    ...(users !== undefined && { [own.user]: { in: users } }),
  };
  return Object.keys(filter).length === 0 ? undefined : filter;
}

function rowsOf({ session, ...selection }: TextSelection): RowSelection | undefined {
  const filter = filterOf(selection);
  if (session === undefined && filter === undefined) return undefined;
  return { ...(session !== undefined && { group: groupOf(session) }), ...(filter && { filter }) };
}

/** A group needs a non-empty name, even without a session. */
const groupOf = (session: string) => `session:${session}`;
