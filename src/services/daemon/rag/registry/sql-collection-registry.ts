import type { Clock } from "../../../../kit/clock.ts";
import type { CollectionRegistry } from "../../../../retrieval/rag/collections/collection-registry.ts";
import type { Storage } from "../../../../storage/storage.ts";
import {
  adoptPlace,
  createCollection,
  findCollection,
  listCollections,
  listFilledCollections,
  listTenants,
  lookAtCollection,
  removeCollection,
} from "./collection-store.ts";
import { currentWrites, emptiedWrites, findDocument, listDocuments } from "./document-store.ts";
import {
  deadRows,
  droppable,
  forgetDropped,
  keepAlive,
  leftoverPlaces,
  settleAbandoned,
} from "./leftover-store.ts";
import { abandonReindex, beginReindex, finishReindex } from "./reindex-store.ts";
import type { RagTables } from "./schema.ts";
import {
  abandonWrite,
  beginWrite,
  commitWrite,
  type DocumentsChanged,
  forgetDead,
  removeDocument,
  reportStray,
} from "./write-store.ts";

/** Duration of a lease. A working process renews it after each third of this time. */
export const holdMs = 60_000;

/** Registry of collections in the daemon's database, for one process. */
export function sqlCollectionRegistry(
  storage: Storage<RagTables>,
  { owner, clock, changed = async () => {} }: { owner: string; clock: Clock; changed?: DocumentsChanged },
): CollectionRegistry {
  const writes = new Set<string>();
  const reindexes = new Set<string>();
  const holder = { owner, holdMs };
  return {
    find: (tenant, name) => findCollection(storage, tenant, name),
    look: (tenant, name) => lookAtCollection(storage, tenant, name),
    create: (collection, quota) => createCollection(storage, collection, { createdAt: clock.now(), quota }),
    adoptPlace: (key, place) => adoptPlace(storage, key, place),
    list: (tenant, name) => listCollections(storage, tenant, name),
    listTenants: (page) => listTenants(storage, page),
    listFilled: (limit) => listFilledCollections(storage, limit),
    remove: (tenant, name) => removeCollection(storage, tenant, name),

    findDocument: (key, id) => findDocument(storage, key, id),
    listDocuments: (key, page) => listDocuments(storage, key, page),
    currentWrites: (key, ids) => currentWrites(storage, key, ids),

    async beginWrite(key, write) {
      writes.add(write);
      await beginWrite(storage, key, write, holder).catch((thrown) => {
        writes.delete(write);
        throw thrown;
      });
    },
    async commitWrite(key, write, documents, quota) {
      const commit = { documents, owner, now: clock.now(), quota, changed };
      const committed = await commitWrite(storage, key, write, commit);
      writes.delete(write);
      return committed;
    },
    abandonWrite(collection, write, documentId) {
      // If this fails, the write is found later as abandoned.
      writes.delete(write);
      return abandonWrite(storage, collection, write, documentId);
    },
    removeDocument: (key, id) => removeDocument(storage, key, id, changed),
    emptied: (key, writes) => emptiedWrites(storage, key, writes),
    reportStray: (key, rows) => reportStray(storage, key, rows),
    forgetDead: (key, rows) => forgetDead(storage, key, rows),

    async beginReindex(tenant, name, vectors) {
      reindexes.add(vectors);
      return beginReindex(storage, { tenant, name, vectors }, holder).catch((thrown) => {
        reindexes.delete(vectors);
        throw thrown;
      });
    },
    async finishReindex(key, made) {
      await finishReindex(storage, key, { ...made, owner });
      reindexes.delete(made.vectors);
    },
    abandonReindex(next) {
      reindexes.delete(next.vectors);
      return abandonReindex(storage, next);
    },

    settleAbandoned: () =>
      settleAbandoned(storage, { owner, writes: [...writes], reindexes: [...reindexes] }),
    async keepAlive() {
      const isIdle = writes.size + reindexes.size === 0;
      // No other process can use a SQLite file.
      if (!isIdle && storage.dialect === "postgres") await keepAlive(storage, holder);
    },
    leftoverPlaces: () => leftoverPlaces(storage),
    deadRows: (at, limit) => deadRows(storage, at, limit),
    droppable: (at, limit) => droppable(storage, at, limit),
    forgetDropped: (vectors) => forgetDropped(storage, vectors),
  };
}
