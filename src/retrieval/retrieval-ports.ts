import type { Clock } from "../kit/clock.ts";
import type { Logger } from "../kit/log.ts";
import type { Random } from "../kit/retry.ts";
import type { OnnxRuntime } from "../onnx/onnx-runtime.ts";
import type { Embedder, EmbedderSettings } from "./embedding/embedder.ts";
import type { Reranker, RerankerSettings } from "./reranking/reranker.ts";
import type { VectorStoreSettings } from "./stores/store-kind.ts";
import type { VectorStore } from "./stores/vector-store.ts";

/** A configured model server: its address and key are used if a manifest names neither. */
export interface KnownServer {
  endpoint: string;
  apiKey?: string;
}

/** Dependencies of embedders and rerankers. */
export interface RetrievalPorts {
  /** For endpoints in the operator's configuration. */
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  clock: Clock;
  log: Logger;
  /** Randomness for the delays of retries. */
  random: Random;
  /** Returns the value of a variable, for `api_key_env`; once read, it is masked in logs and traces. */
  variable: (name: string) => string | undefined;
  /** The reason why no variable is sent to an address that files name, unless it is the provider's own. */
  refusal?: (() => string | undefined) | undefined;
  /** Returns the configured server of a provider (`ollama`, `openai`, `cohere`); undefined if there is none. */
  serverOf: (provider: string) => KnownServer | undefined;
  /** Models from the user's own files. */
  onnx: OnnxRuntime;
}

/**
 * Parts of pipelines and memories. Equal settings give the same object; nothing is loaded or called before its first use. Each method
 * throws AppError `invalid_manifest` whose problems have the invalid key.
 */
export interface RetrievalParts {
  storeOf(settings: VectorStoreSettings): VectorStore;
  embedderOf(settings: EmbedderSettings): Embedder;
  rerankerOf(settings: RerankerSettings): Reranker;
}
