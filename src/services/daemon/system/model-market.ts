import type { ModelSources } from "../../../engine/models/model-sources.ts";
import type { PricedModel } from "../../../engine/run/build-agent.ts";
import type { Price } from "../../../engine/spending/price.ts";

/** What the operator has configured of models. */
export interface ModelMarket {
  sources: ModelSources;
  /** Of models that are called beyond this installation; undefined when nobody knows. */
  priceOf: (model: PricedModel) => Price | undefined;
  /** Whether the stand-in answers in place of every model. */
  rehearsing: boolean;
}
