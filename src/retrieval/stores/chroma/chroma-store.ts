import { physicalName } from "../http/server-settings.ts";
import { ownCalls, type StoreHttp } from "../http/store-http.ts";
import { dimensionMismatch } from "../store-failure.ts";
import type { VectorStore } from "../vector-store.ts";
import { writtenPlace } from "../written-place.ts";
import { chromaAnswers, readAnswer } from "./chroma-answers.ts";
import { ChromaCollection } from "./chroma-collection.ts";

/** Creates a store in a Chroma server, version 1.0 or newer. Each of our collections is one of Chroma's. */
export function createChromaStore({ http: all }: { http: StoreHttp }): VectorStore {
  const open: VectorStore["open"] = async (key, dimension) => {
    const name = physicalName(key);
    const http = ownCalls(all, key.tenant);
    const collection = new ChromaCollection(dimension, {
      http,
      identify: () => ensureCollection(http, name, dimension),
    });
    await collection.identify();
    return collection;
  };
  return {
    backend: "chroma",
    open,
    async drop(key) {
      const path = `/collections/${physicalName(key)}`;
      await ownCalls(all, key.tenant)({ method: "DELETE", path, expects: [404] });
    },
    place: () => writtenPlace({ open }),
    async check() {
      await all({ method: "GET", path: "/collections_count" });
    },
    close: async () => undefined,
  };
}

/** Returns Chroma's id of the collection, which is created if it is missing. */
async function ensureCollection(http: StoreHttp, name: string, dimension: number): Promise<string> {
  const { body } = await http({
    method: "POST",
    path: "/collections",
    body: {
      name,
      get_or_create: true,
      configuration: { hnsw: { space: "cosine" } },
      metadata: { dimension },
    },
  });
  const { id, metadata } = readAnswer(chromaAnswers.collection, body);
  const found = metadata?.dimension ?? dimension;
  if (found !== dimension) throw dimensionMismatch(found, dimension);
  return id;
}
