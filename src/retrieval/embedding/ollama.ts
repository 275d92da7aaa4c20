import type { RetrievalPorts } from "../retrieval-ports.ts";
import type { VendorAddress, VendorKind } from "../vendor/locate-vendor.ts";
import { createVendorClient } from "../vendor/vendor-client.ts";
import { unusable, type VendorSubject } from "../vendor/vendor-failure.ts";
import type { Embedder } from "./embedder.ts";
import { createRemoteEmbedder } from "./remote/remote-embedder.ts";

export const ollamaKind: VendorKind = {
  provider: "ollama",
  defaultEndpoint: "http://127.0.0.1:11434",
  needsKey: false,
  // Accepts the server's address, one of its routes, or its second API's address.
  basePath: (path) => path.replace(/\/(?:api(?:\/embed(?:dings)?|\/chat)?|v1)$/, ""),
};

/** Creates an embedder for a model of an Ollama server, with `POST /api/embed`. */
export function createOllamaEmbedder(
  { model, dimension }: { model: string; dimension: number | undefined },
  address: VendorAddress,
  ports: RetrievalPorts,
): Embedder {
  const subject: VendorSubject = {
    name: `ollama/${model}`,
    role: "embedder",
    missingModelHint: `Get it with "ollama pull ${model}".`,
  };
  const client = createVendorClient(subject, address, ports);
  return createRemoteEmbedder({
    subject,
    id: `ollama/${model}${dimension === undefined ? "" : `@${dimension}`}`,
    dimension,
    textsMax: 32,
    charactersMax: 65_536,
    probe: (signal) => client.probe("/api/embed", signal),
    async request(texts, patience, signal) {
      const body = {
        model,
        input: texts,
        // A truncated text would have a different vector, so the call must fail instead.
        truncate: false,
        ...(dimension !== undefined && { dimensions: dimension }),
      };
      const answer = await client.post("/api/embed", body, patience, signal);
      const embeddings = (answer as { embeddings?: unknown } | null)?.embeddings;
      if (!Array.isArray(embeddings)) throw unusable(subject, "answered without embeddings");
      return embeddings;
    },
  });
}
