import { and, asc, eq, gt, inArray, sql } from "drizzle-orm";
import { batches } from "../../../../kit/batches.ts";
import type {
  CollectionKeyOf,
  DocumentPage,
  DocumentRecord,
} from "../../../../retrieval/rag/collections/collection-registry.ts";
import { statement } from "../../../../storage/statement.ts";
import type { ReadQuery, Storage } from "../../../../storage/storage.ts";
import { isIn } from "./collection-store.ts";
import type { RagTables } from "./schema.ts";

type Rag = Storage<RagTables>;

const documentColumns = ({ ragDocuments: table }: RagTables) => ({
  id: table.id,
  write: table.write,
  contentHash: table.contentHash,
  chunking: table.chunking,
  chunks: table.chunks,
  characters: table.characters,
  metadata: table.metadata,
  losses: table.losses,
  createdAt: table.createdAt,
  updatedAt: table.updatedAt,
});

const byId = statement((query: ReadQuery, tables: RagTables) =>
  query
    .select(documentColumns(tables))
    .from(tables.ragDocuments)
    .where(and(isInPlaceholders(tables), eq(tables.ragDocuments.id, sql.placeholder("id"))))
    .prepare("rag_document_by_id"),
);

export async function findDocument(
  { read, tables }: Rag,
  { tenant, collection }: CollectionKeyOf,
  id: string,
): Promise<DocumentRecord | undefined> {
  const [row] = await byId(read, tables).execute({ tenant, collection, id });
  return row;
}

export async function listDocuments(
  { read, tables }: Rag,
  key: CollectionKeyOf,
  { after, limit }: DocumentPage,
): Promise<DocumentRecord[]> {
  const { ragDocuments } = tables;
  return read
    .select(documentColumns(tables))
    .from(ragDocuments)
    .where(and(isIn(ragDocuments, key), after === undefined ? undefined : gt(ragDocuments.id, after)))
    .orderBy(asc(ragDocuments.id))
    .limit(limit);
}

/** A search asks for as many documents as it has hits. Each size up to this has its own prepared statement. */
const sizes = [8, 32, 128, 512];

const writesOf = sizes.map((size) =>
  statement((query: ReadQuery, tables: RagTables) => {
    const { ragDocuments } = tables;
    const ids = Array.from({ length: size }, (_, index) => sql.placeholder(`id${index}`));
    return query
      .select({ id: ragDocuments.id, write: ragDocuments.write })
      .from(ragDocuments)
      .where(and(isInPlaceholders(tables), inArray(ragDocuments.id, ids)))
      .prepare(`rag_current_writes_${size}`);
  }),
);

export async function currentWrites(
  { read, tables }: Rag,
  { tenant, collection }: CollectionKeyOf,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const writes = new Map<string, string>();
  const largest = sizes.at(-1) ?? 1;
  for (const some of batches(ids, largest)) {
    const at = sizes.findIndex((size) => size >= some.length);
    const parameters: Record<string, unknown> = { tenant, collection };
    // If there are fewer ids than the statement has parameters, repeats the last one.
    for (let index = 0; index < (sizes[at] ?? 0); index++) {
      parameters[`id${index}`] = some[Math.min(index, some.length - 1)];
    }
    const rows = (await writesOf[at]?.(read, tables).execute(parameters)) ?? [];
    for (const { id, write } of rows) writes.set(id, write);
  }
  return writes;
}

/** Returns those of the writes that have no current documents. */
export async function emptiedWrites(
  { read, tables: { ragDocuments } }: Rag,
  key: CollectionKeyOf,
  writes: readonly string[],
): Promise<string[]> {
  if (writes.length === 0) return [];
  const living = await read
    .selectDistinct({ write: ragDocuments.write })
    .from(ragDocuments)
    .where(and(isIn(ragDocuments, key), inArray(ragDocuments.write, [...writes])));
  const alive = new Set(living.map(({ write }) => write));
  return writes.filter((write) => !alive.has(write));
}

const isInPlaceholders = ({ ragDocuments: table }: RagTables) =>
  and(eq(table.tenant, sql.placeholder("tenant")), eq(table.collection, sql.placeholder("collection")));
