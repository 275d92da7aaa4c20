import { createEmbedders } from "../../src/retrieval/embedding/create-embedders.ts";
import type { Embedder, EmbedderSettings } from "../../src/retrieval/embedding/embedder.ts";
import { type EmbeddingScript, type EmbeddingServer, startEmbeddingServer } from "./embedding-server.ts";
import { HastyClock } from "./hasty-clock.ts";
import type { LoggedEvent } from "./recording-logger.ts";
import { retrievalPorts } from "./retrieval-ports.ts";

/** The API key of the staged embedder. */
export const stagedKey = "sk-a-key-nobody-may-see";

export interface StagedEmbedder {
  embedder: Embedder;
  server: EmbeddingServer;
  clock: HastyClock;
  logged: LoggedEvent[];
}

/** An embedder of that kind over its own server, with a clock without delays. */
export async function stageEmbedder(
  provider: string,
  script: EmbeddingScript = [],
  settings: Partial<EmbedderSettings> = {},
): Promise<StagedEmbedder> {
  const server = await startEmbeddingServer(script);
  const clock = new HastyClock();
  const ports = retrievalPorts({ clock, variables: { KEY: stagedKey } });
  const embedder = createEmbedders(ports).embedderOf({
    provider,
    model: "tiny",
    endpoint: server.url,
    api_key_env: "KEY",
    ...settings,
  });
  return { embedder, server, clock, logged: ports.logged };
}

/** Splits a flat array of vectors into lists of numbers. */
export function rowsOf(vectors: Float32Array, count: number): number[][] {
  const width = vectors.length / count;
  return Array.from({ length: count }, (_, at) => [...vectors.subarray(at * width, (at + 1) * width)]);
}

/** Returns the vector of length 1 in that direction, as 32-bit numbers. */
export function unitVector(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  return [...new Float32Array(vector.map((value) => value / length))];
}
