import { didYouMean } from "../../kit/text/did-you-mean.ts";
import { invalidManifest } from "../../manifest/problems.ts";
import type { RetrievalPorts } from "../model-ports.ts";
import { locateVendor } from "../vendor/locate-vendor.ts";
import { cohereKind, createCohereReranker } from "./cohere.ts";
import { createCrossEncoder } from "./cross-encoder.ts";
import type { Reranker, RerankerSettings } from "./reranker.ts";

/** A kind of reranker; `build` throws `invalid_manifest` with the invalid key. */
interface RerankerEntry {
  docs: string;
  build(settings: RerankerSettings, ports: RetrievalPorts): Reranker;
}

const entries: ReadonlyMap<string, RerankerEntry> = new Map([
  [
    "cross_encoder",
    {
      docs: "An ONNX model of the user's own files, below `<data>/models`.",
      build: (settings: RerankerSettings, ports: RetrievalPorts) => createCrossEncoder(settings, ports),
    },
  ],
  [
    "cohere",
    {
      docs: "Cohere's hosted rerank models.",
      build({ model = "rerank-v3.5", api_key_env }: RerankerSettings, ports: RetrievalPorts) {
        const located = locateVendor(cohereKind, { api_key_env }, ports);
        if ("problems" in located) throw invalidManifest(located.problems);
        return createCohereReranker(model, located.address, ports);
      },
    },
  ],
]);

/** Every reranker that a manifest can name, the default first. */
export const rerankerNames: readonly string[] = [...entries.keys()];

/** Description of each reranker in one sentence. */
export const rerankerDocs: ReadonlyMap<string, string> = new Map(
  Array.from(entries, ([name, { docs }]) => [name, docs]),
);

export interface Rerankers {
  /** Returns the same reranker for equal settings. Throws AppError `invalid_manifest` whose problems have the invalid key. */
  rerankerOf(settings: RerankerSettings): Reranker;
}

/** Creates the rerankers of one process. Nothing is loaded or called before its first use. */
export function createRerankers(ports: RetrievalPorts): Rerankers {
  const built = new Map<string, Reranker>();
  return {
    rerankerOf(settings) {
      const { provider, model, api_key_env } = settings;
      const key = JSON.stringify([provider, model, api_key_env]);
      const reranker = built.get(key) ?? build(settings, ports);
      built.set(key, reranker);
      return reranker;
    },
  };
}

function build(settings: RerankerSettings, ports: RetrievalPorts): Reranker {
  const entry = entries.get(settings.provider);
  if (entry) return entry.build(settings, ports);
  const nearest = didYouMean(settings.provider, rerankerNames);
  const mend = nearest === undefined ? `there are ${rerankerNames.join(", ")}` : `did you mean ${nearest}?`;
  throw invalidManifest([{ path: "provider", message: `names ${settings.provider}; ${mend}` }]);
}
