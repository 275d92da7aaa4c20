import type { RetrievalPorts } from "../retrieval-ports.ts";
import { inOrder } from "../vendor/in-order.ts";
import type { VendorAddress, VendorKind } from "../vendor/locate-vendor.ts";
import { createVendorClient, soon } from "../vendor/vendor-client.ts";
import { unusable, type VendorSubject } from "../vendor/vendor-failure.ts";
import type { Reranker } from "./reranker.ts";

export const cohereKind: VendorKind = {
  provider: "cohere",
  defaultEndpoint: "https://api.cohere.com",
  needsKey: true,
  // Accepts the address with or without the version, and the full address of one of its routes.
  basePath: (path) => path.replace(/\/(?:rerank|chat|embed)$/, "").replace(/\/v[0-9]+$/, ""),
};

/** Maximum texts of one request: the API recommends at most 1,000, and a user is waiting. */
const textsMax = 256;
const requestsAtOnce = 4;

/** Creates a reranker for a model of Cohere or a compatible server, with `POST /v2/rerank`. */
export function createCohereReranker(model: string, address: VendorAddress, ports: RetrievalPorts): Reranker {
  const subject: VendorSubject = {
    name: `cohere/${model}`,
    role: "reranker",
    missingModelHint: "Name a rerank model that this server has.",
  };
  const client = createVendorClient(subject, address, ports);

  return {
    probe: (signal) => client.probe("/v2/rerank", signal),
    async score(query, texts, signal) {
      signal.throwIfAborted();
      // A text without content scores 0; the API would refuse it.
      const spoken = texts
        .map((text, at) => ({ text: text.toWellFormed(), at }))
        .filter(({ text }) => text.trim() !== "");
      const scores = texts.map(() => 0);
      if (spoken.length === 0 || query.trim() === "") return scores;
      const batches = Array.from({ length: Math.ceil(spoken.length / textsMax) }, (_, at) =>
        spoken.slice(at * textsMax, (at + 1) * textsMax),
      );
      const score = async (batch: typeof spoken, both: AbortSignal) => {
        const documents = batch.map(({ text }) => text);
        const body = { model, query: query.toWellFormed(), documents, top_n: documents.length };
        return readScores(subject, await client.post("/v2/rerank", body, soon, both), documents.length);
      };
      const found = (await inOrder(batches, requestsAtOnce, score, signal)).flat();
      for (const [index, { at }] of spoken.entries()) scores[at] = found[index] ?? 0;
      return scores;
    },
  };
}

function readScores(subject: VendorSubject, answer: unknown, count: number): number[] {
  const results = (answer as { results?: unknown } | null)?.results;
  if (!Array.isArray(results) || results.length !== count) {
    throw unusable(subject, `answered without a score for each of ${count} texts`);
  }
  const scores: (number | undefined)[] = Array.from({ length: count }, () => undefined);
  for (const result of results) {
    const { index, relevance_score: score } = (result ?? {}) as Record<string, unknown>;
    const isNew = typeof index === "number" && index in scores && scores[index] === undefined;
    if (!isNew || typeof score !== "number" || !Number.isFinite(score)) {
      throw unusable(subject, "answered with scores that name no text");
    }
    scores[index] = Math.min(1, Math.max(0, score));
  }
  return scores.map((score) => score ?? 0);
}
