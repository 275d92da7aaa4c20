import { ollamaDialect } from "../openai/dialect.ts";
import { openAiProtocol } from "../openai/protocol.ts";
import type { ProviderKind } from "../provider-kind.ts";
import { httpKind } from "../wire/http-kind.ts";
import { ollamaProtocol } from "./protocol.ts";

const compatibleProtocol = openAiProtocol(ollamaDialect);

/** Ollama through its own API. An endpoint with a version (`/v1`) selects its OpenAI-compatible route. */
export const ollamaKind: ProviderKind = httpKind({
  name: "ollama",
  docs: "A local Ollama server, by its own API; an endpoint that ends in /v1 means its OpenAI-compatible route.",
  local: true,
  needsEndpoint: false,
  defaultEndpoint: "http://127.0.0.1:11434",
  needsKey: false,
  defaultModel: "llama3.2",
  // Ollama's default on small machines. A larger context_window in the manifest is sent to the server.
  contextWindow: 4096,
  protocolAt: (endpoint) => (hasVersion(endpoint) ? compatibleProtocol : ollamaProtocol),
  missingModelHint: (model) => `Run \`ollama pull ${model}\` where the server runs, or name a model it has.`,
});

function hasVersion(endpoint: string): boolean {
  return /\/v[0-9]/.test(URL.parse(endpoint.trim())?.pathname ?? "");
}
