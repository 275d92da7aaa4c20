import type { ModelSources } from "../../engine/models/model-sources.ts";
import { findProviderKind } from "../../engine/models/providers/registry.ts";
import { isOwnAddress } from "../../engine/models/resolve-model.ts";
import type { Worker } from "../../kit/worker.ts";
import type { OnnxRuntime } from "../../onnx/onnx-runtime.ts";
import { createEmbedders } from "../../retrieval/embedding/create-embedders.ts";
import { createRerankers } from "../../retrieval/reranking/create-rerankers.ts";
import type { KnownServer, RetrievalParts } from "../../retrieval/retrieval-ports.ts";
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
    databaseUrl: config.databaseUrl,
    servers,
    ownerOf,
    defaults: config.runtime.spec.vectors,
  });
  const ports = { ...common, onnx, serverOf: (provider: string) => serverOf(provider, sources) };
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

/** Returns the server of a kind: the entry of providers.yaml with that name or type, or else the environment's. */
export function serverOf(
  provider: string,
  { file, local, hosted, variable, refusal }: ModelSources,
): KnownServer | undefined {
  const { [provider]: named, ...others } = file?.providers ?? {};
  const entry = [named, ...Object.values(others)].find((one) => one?.type === provider);
  const kind = findProviderKind(provider);
  const endpoint = entry?.endpoint ?? kind?.defaultEndpoint;
  if (entry !== undefined && endpoint !== undefined) {
    // The doctor's check of providers gives the reason.
    const isRefused = isOwnAddress(endpoint, {}, entry, kind) && refusal?.() !== undefined;
    const apiKey = entry.api_key_env === undefined || isRefused ? undefined : variable(entry.api_key_env);
    return { endpoint, ...(apiKey && { apiKey }) };
  }
  const server = provider === "ollama" ? local : provider === "openai" ? hosted : undefined;
  if (server === undefined) return undefined;
  return { endpoint: server.endpoint, ...(server.apiKey !== undefined && { apiKey: server.apiKey }) };
}
