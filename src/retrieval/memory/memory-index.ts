import { cutText } from "../../kit/cut-text.ts";
import type { Chunker } from "../chunking/chunker.ts";
import type { Embedder } from "../embedding/embedder.ts";
import type { VectorFilter } from "../stores/vector-filter.ts";
import type {
  CollectionKey,
  RowSelection,
  VectorBatch,
  VectorCollection,
  VectorHit,
  VectorStore,
} from "../stores/vector-store.ts";

/** Whose texts. */
export interface MemoryKey {
  tenant: string;
  agent: string;
}

/** A text to keep. */
export interface MemoryText {
  /** Unique in the agent's memory. */
  id: string;
  /** Empty: of none. */
  session: string;
  user: string;
  /** What it was said in: a search may leave all texts of one out. */
  origin: string;
  text: string;
  /** JSON; keys that begin with `argosy_` are ours. */
  metadata: Readonly<Record<string, unknown>>;
}

/** A text as it was found, or a piece of it where it is long. */
export interface KeptText extends Omit<MemoryText, "metadata"> {
  metadata: Record<string, unknown>;
  /** The place of the row among all of the agent. */
  row: string;
}

export type FoundText = KeptText & { score: number };

export interface MemoryQuery {
  query: string;
  limit: number;
  scoreMin: number;
  selection?: TextSelection;
  /** Texts of these origins are left out. */
  exceptOrigins?: readonly string[];
  signal: AbortSignal;
}

/** All that is named must hold; `users` and `origins`: one of them. */
export interface TextSelection {
  id?: string;
  session?: string;
  users?: readonly string[];
}

/** Texts beyond these many pieces are cut: what somebody said so long ago is a document, and belongs into a pipeline. */
const piecesMax = 100;
/** The longest question that is looked for: its beginning. */
const queryLengthMax = 8192;
/** Rows that are read in one step. */
const rowsTogether = 500;

/** An agent's texts in a vector store, found by what they mean to the embedder. Throws as store and embedder do. */
export interface MemoryIndex {
  readonly store: VectorStore;
  readonly embedder: Embedder;
  /** Adds texts, long ones in pieces; those whose ids are there already stay once. On disk when it resolves. */
  add(key: MemoryKey, texts: readonly MemoryText[], signal: AbortSignal): Promise<void>;
  /** The most similar texts, best first. */
  search(key: MemoryKey, query: MemoryQuery): Promise<FoundText[]>;
  /** Removes what is selected; nothing selected is nothing removed. `dimension` is that of the vectors that are there. */
  remove(key: MemoryKey, dimension: number, selection: TextSelection): Promise<void>;
  /** What is selected, row by row; `after` a row: those behind it. */
  list(
    key: MemoryKey,
    dimension: number,
    selection: TextSelection,
    page: { after?: string; limit: number },
  ): Promise<KeptText[]>;
  /** Removes all there is of an agent. */
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

/** What is selected of a memory, row by row. */
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

/** What an agent's texts are kept under in a store. */
export const memoryKey = ({ tenant, agent }: MemoryKey): CollectionKey => ({
  tenant,
  kind: "memory",
  name: agent,
});

/** Keys of a row's metadata that are ours. */
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
    const kept = chunks.filter(({ text }) => text.trim() !== "").slice(0, piecesMax);
    for (const [index, { text }] of kept.entries()) {
      const metadata =
        kept.length === 1 ? whole.metadata : { ...whole.metadata, piece: index + 1, pieces: kept.length };
      const row = `${whole.id}#${String(index + 1).padStart(3, "0")}`;
      pieces.push({ ...whole, row, text: text.trim(), metadata });
    }
  }
  return pieces;
}

/** One batch for each origin: a batch is of one write. */
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

/** A group has a name, also that of no session. */
const groupOf = (session: string) => `session:${session}`;
