import { physicalName } from "../http/server-settings.ts";
import { ownCalls, type StoreHttp } from "../http/store-http.ts";
import type { CollectionKey, VectorStore } from "../vector-store.ts";
import { writtenPlace } from "../written-place.ts";
import { QdrantCollection } from "./qdrant-collection.ts";
import { ensureCollection } from "./qdrant-shape.ts";

/** Creates a store in a Qdrant server, version 1.10 or newer. Each of our collections is one of Qdrant's. */
export function createQdrantStore({ http: all }: { http: StoreHttp }): VectorStore {
  const open: VectorStore["open"] = async (key, dimension) => {
    const path = pathOf(key);
    const http = ownCalls(all, key.tenant);
    await ensureCollection(http, path, dimension);
    const ensure = () => ensureCollection(http, path, dimension);
    return new QdrantCollection(dimension, { http, path, ensure });
  };
  return {
    backend: "qdrant",
    open,
    async drop(key) {
      await ownCalls(all, key.tenant)({ method: "DELETE", path: pathOf(key), expects: [404] });
    },
    place: () => writtenPlace({ open }),
    async check() {
      await all({ method: "GET", path: "/collections" });
    },
    close: async () => undefined,
  };
}

const pathOf = (key: CollectionKey) => `/collections/${physicalName(key)}`;
