import type { RecallParts } from "../engine/run/build-recall.ts";
import type { RetrievalParts } from "../retrieval/retrieval-parts.ts";
import type { Config } from "./config.ts";
import { episodePlaceOf } from "./episode-places.ts";
import { semanticSetup } from "./semantic-setup.ts";

/** What agents are built from where they are only looked at: the settings are checked, and nothing is remembered. */
export function recallPartsUnused(config: Config, retrieval: RetrievalParts): RecallParts {
  return {
    semanticOf(settings) {
      semanticSetup(settings, retrieval);
      return { recall: async () => [], keep: async () => {} };
    },
    episodicOf(settings) {
      episodePlaceOf(settings, config);
      return { recall: async () => [], record: async () => {} };
    },
  };
}
