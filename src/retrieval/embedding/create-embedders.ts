import type { Problem } from "../../kit/app-error.ts";
import { LatestMap } from "../../kit/latest-map.ts";
import { didYouMean } from "../../kit/text/did-you-mean.ts";
import { normalized } from "../../kit/text/normalize.ts";
import { invalidManifest } from "../../manifest/fault.ts";
import type { RetrievalPorts } from "../retrieval-ports.ts";
import { locateVendor, type VendorAddress, type VendorKind } from "../vendor/locate-vendor.ts";
import type { Embedder, EmbedderSettings } from "./embedder.ts";
import { createHashThread, type HashThread } from "./local-hash/hash-thread.ts";
import { createLocalHash, defaultDimension, dimensionRange } from "./local-hash/local-hash.ts";
import { createOllamaEmbedder, ollamaKind } from "./ollama.ts";
import { createOpenAiEmbedder, openAiKind } from "./openai.ts";
import { createSentenceTransformer } from "./sentence-transformer.ts";

/** Maximum cached embedders. An evicted one loses only the wait times its server requested. */
const embeddersMax = 500;

interface EmbedderParts {
  ports: RetrievalPorts;
  thread: HashThread;
}

/** A kind of embedder. */
interface EmbedderEntry {
  /** Supported settings besides `provider`; others are refused. */
  takes: readonly (keyof EmbedderSettings)[];
  /** Throws `invalid_manifest` with the invalid key. */
  build(settings: EmbedderSettings, parts: EmbedderParts): Embedder;
}

interface RemoteOptions {
  model: string;
  dimension: number | undefined;
}

function remote(
  kind: VendorKind,
  defaultModel: string,
  create: (options: RemoteOptions, address: VendorAddress, ports: RetrievalPorts) => Embedder,
): EmbedderEntry {
  return {
    takes: ["model", "endpoint", "api_key_env", "dimension"],
    build(settings, { ports }) {
      const located = locateVendor(kind, settings, ports);
      if ("problems" in located) throw invalidManifest(located.problems);
      const { model = defaultModel, dimension } = settings;
      return create({ model, dimension }, located.address, ports);
    },
  };
}

const entries: ReadonlyMap<string, EmbedderEntry> = new Map([
  [
    // Hashed words and parts of words: finds the same and similar words, and knows nothing of meaning.
    "local_hash",
    {
      takes: ["dimension"],
      build({ dimension = defaultDimension }: EmbedderSettings, { thread }: EmbedderParts) {
        const { least, most } = dimensionRange;
        if (!Number.isInteger(dimension) || dimension < least || dimension > most) {
          throw invalidManifest([
            { path: "dimension", message: `must be a whole number from ${least} to ${most}` },
          ]);
        }
        return createLocalHash(dimension, thread);
      },
    },
  ],
  ["ollama", remote(ollamaKind, "nomic-embed-text", createOllamaEmbedder)],
  ["openai", remote(openAiKind, "text-embedding-3-small", createOpenAiEmbedder)],
  [
    // An ONNX model of the user's own files, below `<data>/models`.
    "sentence_transformer",
    {
      takes: ["model", "endpoint", "api_key_env", "dimension"],
      build: (settings: EmbedderSettings, { ports }: EmbedderParts) =>
        createSentenceTransformer(settings, ports),
    },
  ],
]);

/** Every embedder that a manifest can name, the default first. */
export const embedderNames: readonly string[] = [...entries.keys()];

export interface Embedders {
  /** Returns the same embedder for equal settings. Throws AppError `invalid_manifest` whose problems have the invalid key. */
  embedderOf(settings: EmbedderSettings): Embedder;
  /** Ends the worker; its pending calls fail. */
  close(): void;
}

/** Creates the embedders of one process. Nothing is started or called before its first use. */
export function createEmbedders(ports: RetrievalPorts): Embedders {
  const thread = createHashThread(ports.clock);
  const built = new LatestMap<string, Embedder>(embeddersMax);
  return {
    embedderOf(settings) {
      const { provider, model, endpoint, api_key_env, dimension } = settings;
      const key = JSON.stringify([
        provider,
        model,
        endpoint,
        api_key_env,
        dimension,
        ports.serverOf(provider),
      ]);
      const embedder = built.get(key) ?? build(settings, { ports, thread });
      // Callers may name any model, so the least recently used embedder is evicted.
      built.set(key, embedder);
      return embedder;
    },
    close: () => thread.close(),
  };
}

function build(settings: EmbedderSettings, parts: EmbedderParts): Embedder {
  const entry = entries.get(settings.provider);
  if (!entry) throw invalidManifest([{ path: "provider", message: unknownEmbedder(settings.provider) }]);
  const problems: Problem[] = [];
  for (const key of ["model", "endpoint", "api_key_env", "dimension"] as const) {
    if (settings[key] === undefined || entry.takes.includes(key)) continue;
    problems.push({ path: key, message: `is not used by ${settings.provider}; remove it` });
  }
  if (problems.length > 0) throw invalidManifest(problems);
  const embedder = entry.build(settings, parts);
  return embedder.isLexical ? embedder : composing(embedder);
}

/** Gives the model equal texts for letters with combining marks and for the letters that they compose. */
const composing = (embedder: Embedder): Embedder => ({
  id: embedder.id,
  isLexical: embedder.isLexical,
  defaultThreshold: embedder.defaultThreshold,
  dimension: (signal) => embedder.dimension(signal),
  embed: (texts, use, signal) =>
    embedder.embed(
      texts.map((text) => normalized(text, "NFC")),
      use,
      signal,
    ),
  ...(embedder.probe && { probe: (signal) => embedder.probe?.(signal) ?? Promise.resolve() }),
});

function unknownEmbedder(name: string): string {
  const nearest = didYouMean(name, embedderNames);
  return `names ${name}; ${nearest === undefined ? `there are ${embedderNames.join(", ")}` : `did you mean ${nearest}?`}`;
}
