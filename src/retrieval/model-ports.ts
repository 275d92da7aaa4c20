import type { Clock } from "../kit/clock.ts";
import type { Logger } from "../kit/log.ts";
import type { Random } from "../kit/retry.ts";
import type { OnnxRuntime } from "../onnx/onnx-runtime.ts";

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
  /** Returns the configured server of a provider (`ollama`, `openai`, `cohere`); undefined if there is none. */
  serverOf: (provider: string) => KnownServer | undefined;
  /** Models from the user's own files. */
  onnx: OnnxRuntime;
}
