import type { CloudCatalog } from "../../../contracts/cloud/agents.ts";
import { cloudProviders, isKeyedProvider } from "../../../contracts/cloud/providers.ts";
import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import { pricedModels, shippedPrices } from "../../../engine/spending/price-table.ts";
import { orgRuntimeFailed } from "./registrations.ts";
import type { ConfigNames } from "./wizard/check-config.ts";
import { guardrailCatalog } from "./wizard/guardrail-entries.ts";

type Runtime = Pick<RuntimeClient, "catalog">;

/** Returns what a config may name. */
export async function readCatalog(runtime: Runtime): Promise<CloudCatalog> {
  const { builtins, providers } = await offered(runtime);
  const known = new Map([
    ...pricedModels(shippedPrices),
    ...providers.map(({ provider, models }) => [provider, models] as const),
  ]);
  return {
    providers: cloudProviders.map((provider) => ({
      provider,
      needs_key: isKeyedProvider(provider),
      models: [...(known.get(provider) ?? [])],
    })),
    tools: builtins.map(({ name, description, writes }) => ({ name, description, writes })),
    input_guardrails: guardrailCatalog("input"),
    output_guardrails: guardrailCatalog("output"),
  };
}

/** Returns the names that a config is checked against. */
export const namesOf = async (runtime: Runtime): Promise<ConfigNames> => ({
  tools: (await offered(runtime)).builtins.map(({ name }) => name),
});

const offered = (runtime: Runtime) =>
  runtime.catalog().catch((thrown: unknown) => {
    throw orgRuntimeFailed(thrown);
  });
