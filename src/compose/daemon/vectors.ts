import type { ModelSources } from "../../engine/models/model-sources.ts";
import { vendorServer } from "../../engine/models/vendor-server.ts";
import type { Worker } from "../../kit/worker.ts";
import type { OnnxRuntime } from "../../onnx/onnx-runtime.ts";
import { createEmbedders } from "../../retrieval/embedding/create-embedders.ts";
import { createRerankers } from "../../retrieval/reranking/create-rerankers.ts";
import type { RetrievalParts } from "../../retrieval/retrieval-ports.ts";
import { createVectorStores } from "../../retrieval/stores/vector-stores.ts";
import type { Foundation } from "../foundation.ts";
import { createProviderFetch } from "../provider-fetch.ts";

export interface VectorParts extends RetrievalParts {
  worker: () => Worker;
  finish(): Promise<void>;
  close(): Promise<void>;
}

/** Creates the parts for pipelines and memories under this configuration. Loads and calls nothing before the first use. */
export function openVectors(
  {
    config,
    clock,
    log,
    random,
    servers,
  }: Pick<Foundation, "config" | "clock" | "log" | "random"> & Partial<Pick<Foundation, "servers">>,
  {
    onnx,
    sources,
    ownerOf,
  }: { onnx: OnnxRuntime; sources: ModelSources; ownerOf?: (tenant: string) => string },
): VectorParts {
  const { variable, refusal } = sources;
  const common = { fetch: createProviderFetch(clock), clock, log, random, variable, refusal };
  const stores = createVectorStores({
    ...common,
    dataFolder: config.dataFolder,
    cacheFolder: config.cacheFolder,
    databaseUrl: config.databaseUrl,
    servers,
    ownerOf,
    defaults: config.runtime.spec.vectors,
  });
  const ports = { ...common, onnx, serverOf: (provider: string) => vendorServer(provider, sources) };
  const embedders = createEmbedders(ports);
  const rerankers = createRerankers(ports);
  return {
    storeOf: stores.storeOf,
    embedderOf: embedders.embedderOf,
    rerankerOf: rerankers.rerankerOf,
    worker: stores.worker,
    finish: stores.finish,
    async close() {
      embedders.close();
      await stores.close();
    },
  };
}
