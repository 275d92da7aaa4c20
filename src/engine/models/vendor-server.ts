import type { KnownServer } from "../../retrieval/retrieval-ports.ts";
import type { ModelSources } from "./model-sources.ts";
import { findProviderKind } from "./providers/registry.ts";
import { isOwnAddress } from "./resolve-model.ts";

/** Returns the server of a kind of vendor for embeddings and reranking: the entry of providers.yaml with that name or type, or else the environment's. */
export function vendorServer(
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
