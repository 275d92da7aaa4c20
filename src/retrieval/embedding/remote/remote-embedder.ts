import { untilAborted } from "../../../kit/concurrency/until-aborted.ts";
import { LatestMap } from "../../../kit/latest-map.ts";
import { inOrder } from "../../vendor/in-order.ts";
import { patient, type RetryLimits, soon } from "../../vendor/vendor-client.ts";
import { unusable, type VendorSubject } from "../../vendor/vendor-failure.ts";
import type { Embedder, EmbeddingUse } from "../embedder.ts";
import { readVectors } from "./read-vectors.ts";

/** A vendor's protocol for one batch. */
export interface EmbeddingProtocol {
  subject: VendorSubject;
  /** See `Embedder.id`. */
  id: string;
  /** Length of vectors in the settings. */
  dimension: number | undefined;
  /** Maximum texts and characters of one request; a longer text is sent alone. */
  textsMax: number;
  charactersMax: number;
  /** Returns the vectors in the vendor's format: lists of numbers or base64, in the order of the texts. */
  request(texts: readonly string[], patience: RetryLimits, signal: AbortSignal): Promise<readonly unknown[]>;
  /** See `Embedder.probe`. */
  probe(signal: AbortSignal): Promise<void>;
}

const requestsAtOnce = 4;

/** With most models, a higher similarity is meaningful. */
const thresholdDefault = 0.5;

/** Cached because queries are repeated: by a chat's memory, its knowledge and its tools. */
const cachedQueries = 256;
const cachedCharactersMax = 2048;

/** Creates an embedder that calls a server. */
export function createRemoteEmbedder(protocol: EmbeddingProtocol): Embedder {
  const { subject, id } = protocol;
  const cache = new LatestMap<string, Float32Array>(cachedQueries);
  let known = protocol.dimension;

  function learn(dimension: number): void {
    known ??= dimension;
    if (known === dimension) return;
    const wherePromised = protocol.dimension === undefined ? "where it gave" : "where the manifest asks for";
    const what = `answered with vectors of ${dimension} numbers, ${wherePromised} ${known}`;
    throw unusable(subject, what, "Leave dimension out, or name the model's own.");
  }

  async function vectorsOf(
    texts: readonly string[],
    use: EmbeddingUse,
    signal: AbortSignal,
  ): Promise<Float32Array[]> {
    const patience = use === "query" ? soon : patient;
    const request = async (batch: readonly string[], both: AbortSignal) => {
      const vectors = readVectors(subject, await protocol.request(batch, patience, both), batch.length);
      learn(vectors[0]?.length ?? 0);
      return vectors;
    };
    return (await inOrder(batchesOf(texts, protocol), requestsAtOnce, request, signal)).flat();
  }

  /** One request, shared by concurrent callers. */
  let dimensionProbe: Promise<number> | undefined;

  async function dimension(signal: AbortSignal): Promise<number> {
    if (known !== undefined) return known;
    dimensionProbe ??= vectorsOf(["dimension"], "query", new AbortController().signal)
      .then(([vector]) => vector?.length ?? 0)
      .finally(() => {
        dimensionProbe = undefined;
      });
    const answer = dimensionProbe;
    return untilAborted(signal, () => answer);
  }

  return {
    id,
    isLexical: false,
    defaultThreshold: thresholdDefault,
    dimension,
    probe: (signal) => protocol.probe(signal),
    async embed(texts, use, signal) {
      signal.throwIfAborted();
      if (texts.length === 0) return new Float32Array();
      const cached = use === "query" ? cachedVector(cache, texts) : undefined;
      if (cached) return cached;
      // Vendors refuse empty texts.
      const spoken = texts
        .map((text, at) => ({ text: text.toWellFormed(), at }))
        .filter(({ text }) => text.trim() !== "");
      const vectors = await vectorsOf(
        spoken.map(({ text }) => text),
        use,
        signal,
      );
      const width = vectors[0]?.length ?? (await dimension(signal));
      const all = new Float32Array(texts.length * width);
      for (const [index, { at }] of spoken.entries()) all.set(vectors[index] ?? [], at * width);
      const [only = ""] = texts;
      if (use === "query" && isCached(texts)) cache.set(only, all.slice());
      return all;
    },
  };
}

const isCached = (texts: readonly string[]) =>
  texts.length === 1 && (texts[0] ?? "").length <= cachedCharactersMax;

function cachedVector(
  cache: LatestMap<string, Float32Array>,
  texts: readonly string[],
): Float32Array | undefined {
  return isCached(texts) ? cache.use(texts[0] ?? "")?.slice() : undefined;
}

function batchesOf(
  texts: readonly string[],
  { textsMax, charactersMax }: EmbeddingProtocol,
): (readonly string[])[] {
  const batches: string[][] = [];
  let batch: string[] = [];
  let characters = 0;
  for (const text of texts) {
    if (batch.length === textsMax || (batch.length > 0 && characters + text.length > charactersMax)) {
      batches.push(batch);
      batch = [];
      characters = 0;
    }
    batch.push(text);
    characters += text.length;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
