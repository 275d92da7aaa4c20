import type { ProviderModel } from "../../../contracts/daemon/models/providers.ts";
import type { Model } from "../../../engine/models/model.ts";
import { freePrice, type Price } from "../../../engine/models/price.ts";
import { findProviderKind } from "../../../engine/models/providers/registry.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import type { ModelCatalog } from "../providers/model-catalog.ts";

type Priced = Pick<Model, "provider" | "model" | "endpoint" | "contextWindow" | "local">;

interface Named {
  model: Priced;
  agents: string[];
  listed: boolean;
  /** True if the model was built, so its context window is the one that runs use. */
  built: boolean;
}

/** Models named by files, found on servers at startup, or named by loaded agents, by provider and sorted by name. */
export function providerModels({
  catalog,
  modelCatalog: { sources, priceOf },
}: {
  catalog: AgentCatalog;
  modelCatalog: ModelCatalog;
}): Map<string, ProviderModel[]> {
  const modelsByProvider = new Map<string, Map<string, Named>>();
  const add = (model: Priced, built: boolean): Named => {
    const ofProvider = modelsByProvider.get(model.provider) ?? new Map<string, Named>();
    modelsByProvider.set(model.provider, ofProvider);
    const known = ofProvider.get(model.model);
    if (known?.built === true || (known && !built)) return known;
    const named = { model, built, agents: known?.agents ?? [], listed: known?.listed ?? false };
    ofProvider.set(model.model, named);
    return named;
  };
  for (const { name, agent } of catalog.list()) {
    for (const model of agent?.candidates ?? []) {
      const { agents } = add(model, true);
      if (!agents.includes(name)) agents.push(name);
    }
  }
  for (const [provider, entry] of Object.entries(sources.file?.providers ?? {})) {
    const kind = findProviderKind(entry.type);
    const endpoint = entry.endpoint ?? kind?.defaultEndpoint;
    for (const model of entry.models ?? []) {
      const facts = {
        provider,
        model,
        contextWindow: entry.context_window ?? 0,
        local: kind?.local ?? false,
      };
      add({ ...facts, ...(endpoint === undefined ? {} : { endpoint }) }, false).listed = true;
    }
  }
  for (const model of sources.local?.models ?? []) {
    add({ provider: "ollama", model, contextWindow: 0, local: true }, false);
  }
  const present = ({ model, agents, listed, built }: Named): ProviderModel => {
    const price = model.local ? freePrice : priceOf(model);
    return {
      model: model.model,
      agents,
      listed,
      ...(built ? { context_window: model.contextWindow } : {}),
      ...(price && { price: perMillion(price) }),
    };
  };
  const byName = (a: ProviderModel, b: ProviderModel) => (a.model < b.model ? -1 : 1);
  return new Map(
    [...modelsByProvider].map(([provider, models]) => [
      provider,
      [...models.values()].map(present).sort(byName),
    ]),
  );
}

/** Prices are stored in millionths of a dollar per 1000 tokens. */
function perMillion(price: Price): NonNullable<ProviderModel["price"]> {
  return { input_usd: price.in / 1000, output_usd: price.out / 1000 };
}
