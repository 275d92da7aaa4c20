import type { RetrievalPorts } from "../retrieval-ports.ts";
import type { VendorAddress, VendorKind } from "../vendor/locate-vendor.ts";
import { createVendorClient } from "../vendor/vendor-client.ts";
import { unusable, type VendorSubject } from "../vendor/vendor-failure.ts";
import type { Embedder } from "./embedder.ts";
import { createRemoteEmbedder } from "./remote/remote-embedder.ts";

const route = "/embeddings";
const vendorHost = "api.openai.com";

export const openAiKind: VendorKind = {
  provider: "openai",
  defaultEndpoint: `https://${vendorHost}/v1`,
  needsKey: true,
  // Accepts the address with or without `/v1`, and the full address of this route or of the chat route.
  basePath(path) {
    const base = path.replace(/\/(?:embeddings|chat\/completions)$/, "");
    return base !== path || /\/v[0-9]/.test(base) ? base : `${base}/v1`;
  },
};

/** Creates an embedder for a model of OpenAI or a compatible server, with `POST /v1/embeddings`. */
export function createOpenAiEmbedder(
  { model, dimension }: { model: string; dimension: number | undefined },
  address: VendorAddress,
  ports: RetrievalPorts,
): Embedder {
  const subject: VendorSubject = {
    name: `openai/${model}`,
    role: "embedder",
    missingModelHint: "Name an embedding model that this server has.",
  };
  const client = createVendorClient(subject, address, ports);
  // Base64 needs a quarter of the bytes. Other servers may refuse the value or the field; answers are read in either format.
  const format = address.base.hostname === vendorHost ? "base64" : "float";
  return createRemoteEmbedder({
    subject,
    id: `openai/${model}${dimension === undefined ? "" : `@${dimension}`}`,
    dimension,
    textsMax: 128,
    charactersMax: 131_072,
    probe: (signal) => client.probe(route, signal),
    async request(texts, patience, signal) {
      const body = {
        model,
        input: texts,
        encoding_format: format,
        ...(dimension !== undefined && { dimensions: dimension }),
      };
      const data = (await client.post(route, body, patience, signal)) as { data?: unknown } | null;
      if (!Array.isArray(data?.data)) throw unusable(subject, "answered without embeddings");
      return inTheirOrder(subject, data.data);
    },
  });
}

/** Sorts the vectors by their `index`, if the answer has it. */
function inTheirOrder(subject: VendorSubject, entries: readonly unknown[]): unknown[] {
  const vectors: unknown[] = [];
  const seen = new Set<number>();
  for (const [at, entry] of entries.entries()) {
    const { index = at, embedding } = (entry ?? {}) as { index?: unknown; embedding?: unknown };
    if (
      typeof index !== "number" ||
      !Number.isInteger(index) ||
      index < 0 ||
      index >= entries.length ||
      seen.has(index)
    ) {
      throw unusable(subject, "answered with embeddings in an unknown order");
    }
    seen.add(index);
    vectors[index] = embedding;
  }
  return vectors;
}
