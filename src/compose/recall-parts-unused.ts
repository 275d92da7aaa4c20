import type { RecallParts } from "../engine/run/build-recall.ts";
import type { RetrievalParts } from "../retrieval/retrieval-ports.ts";
import type { Config } from "./config.ts";
import { episodePlaceOf } from "./episode-places.ts";
import { semanticSetup } from "./semantic-setup.ts";

/** Parts for checking agents without running them: the settings are checked, and nothing is stored. */
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
