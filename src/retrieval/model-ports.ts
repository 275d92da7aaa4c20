import type { Clock } from "../kit/clock.ts";
import type { Logger } from "../kit/log.ts";
import type { Random } from "../kit/retry.ts";
import type { OnnxRuntime } from "../onnx/onnx-runtime.ts";

/** A server that was configured for models: its address and key are used where a manifest names neither. */
export interface KnownServer {
  endpoint: string;
  apiKey?: string;
}

/** What embedders and rerankers may use of the world. */
export interface RetrievalPorts {
  /** For endpoints of the operator's own configuration. */
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  clock: Clock;
  log: Logger;
  /** Spreads retries. */
  random: Random;
  /** The variable of that name, for `api_key_env`; once read it is masked in logs and traces. */
  variable: (name: string) => string | undefined;
  /** The server that the configuration knows for a provider (`ollama`, `openai`, `cohere`); undefined: none. */
  serverOf: (provider: string) => KnownServer | undefined;
  /** Models of the user's own files. */
  onnx: OnnxRuntime;
}
