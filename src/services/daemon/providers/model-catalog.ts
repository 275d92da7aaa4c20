import type { PricedModel } from "../../../engine/agents/build-agent.ts";
import type { ModelSources } from "../../../engine/models/model-sources.ts";
import type { Price } from "../../../engine/models/price.ts";

/** The operator's configuration of models. */
export interface ModelCatalog {
  sources: ModelSources;
  /** Returns the price of a model that is called outside this installation; undefined if it is unknown. */
  priceOf: (model: PricedModel) => Price | undefined;
  /** True if the stand-in answers instead of every model. */
  rehearsing: boolean;
}
