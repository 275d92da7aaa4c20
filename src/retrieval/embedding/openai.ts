import type { RetrievalPorts } from "../model-ports.ts";
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
  // With or without `/v1`, or the full address of the route or of the one for chats.
  basePath(path) {
    const base = path.replace(/\/(?:embeddings|chat\/completions)$/, "");
    return base !== path || /\/v[0-9]/.test(base) ? base : `${base}/v1`;
  },
};

/** A model of OpenAI, or of a server that speaks its protocol, by `POST /v1/embeddings`. */
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
  // A quarter of the bytes. Other servers may refuse it, or the field; what they answer with is read in either form.
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

/** The vectors by their `index`, where the answer has one. */
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
      throw unusable(subject, "answered with embeddings of which nobody knows the order");
    }
    seen.add(index);
    vectors[index] = embedding;
  }
  return vectors;
}
