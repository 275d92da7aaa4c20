import { didYouMean } from "../../kit/text/did-you-mean.ts";
import { invalidManifest } from "../../manifest/fault.ts";
import type { RetrievalPorts } from "../retrieval-ports.ts";
import { locateVendor } from "../vendor/locate-vendor.ts";
import { cohereKind, createCohereReranker } from "./cohere.ts";
import { createCrossEncoder } from "./cross-encoder.ts";
import type { Reranker, RerankerSettings } from "./reranker.ts";

/** A kind of reranker; `build` throws `invalid_manifest` with the invalid key. */
interface RerankerEntry {
  build(settings: RerankerSettings, ports: RetrievalPorts): Reranker;
}

const entries: ReadonlyMap<string, RerankerEntry> = new Map([
  [
    // An ONNX model of the user's own files, below `<data>/models`.
    "cross_encoder",
    {
      build: (settings: RerankerSettings, ports: RetrievalPorts) => createCrossEncoder(settings, ports),
    },
  ],
  [
    "cohere",
    {
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
      const key = JSON.stringify([provider, model, api_key_env, ports.serverOf(provider)]);
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
