import { and, desc, eq, isNull } from "drizzle-orm";
import type { KnownModelList, ModelCost } from "../../../contracts/platform/billing/tariffs.ts";
import { findProviderKind, providerKinds } from "../../../engine/models/providers/registry.ts";
import type { StoreDeps } from "../tables.ts";
import { ratesInForce } from "./rates-in-force.ts";

/** Small enough to be read at any time. */
const runsLately = 1000;
const agentsRead = 1000;

export interface ModelDeps extends Pick<StoreDeps, "storage" | "clock"> {
  /** What a model costs at its provider; null if unknown. */
  costOf: (provider: string, model: string) => ModelCost | null;
}

interface Named {
  provider: string;
  model: string;
}

/** Lists every provider, and the models in the latest runs, the newest live agents and the tariffs. */
export async function listModels({
  storage: { read, tables },
  clock,
  costOf,
}: ModelDeps): Promise<KnownModelList> {
  const { invocations, agents, agentVersions, tariffs } = tables;
  const runs = await read
    .select({ byModel: invocations.byModel })
    .from(invocations)
    .orderBy(desc(invocations.id))
    .limit(runsLately);
  const specs = await read
    .select({ spec: agentVersions.spec })
    .from(agents)
    .innerJoin(
      agentVersions,
      and(
        eq(agentVersions.tenantId, agents.tenantId),
        eq(agentVersions.agentId, agents.id),
        eq(agentVersions.number, agents.currentVersion),
      ),
    )
    .where(isNull(agents.deletedAt))
    .orderBy(desc(agents.id))
    .limit(agentsRead);
  const filed = await read.selectDistinct({ provider: tariffs.provider, model: tariffs.model }).from(tariffs);
  const named = [
    ...filed,
    ...runs.flatMap(({ byModel }) => byModel),
    ...specs.flatMap(({ spec }) => modelsIn((spec as { spec?: { model?: unknown } }).spec?.model)),
  ].map(({ provider, model }) => ({ provider: findProviderKind(provider)?.name ?? provider, model }));
  const models = [
    ...new Map(named.map((each) => [JSON.stringify([each.provider, each.model]), each])).values(),
  ];
  const ratesOf = await ratesInForce(read, tables, models, clock.now());
  return {
    providers: [
      ...new Set([...providerKinds.map(({ name }) => name), ...models.map(({ provider }) => provider)]),
    ].sort(),
    models: models
      .sort((a, b) => (`${a.provider}\n${a.model}` < `${b.provider}\n${b.model}` ? -1 : 1))
      .map(({ provider, model }) => ({
        provider,
        model,
        has_tariff: ratesOf(provider, model) !== undefined,
        known_cost: costOf(provider, model),
      })),
  };
}

/** Models in an agent's model block: primary, fallbacks and roles. */
function modelsIn(block: unknown): Named[] {
  if (typeof block !== "object" || block === null) return [];
  const { provider, model } = block as Partial<Named>;
  const own = typeof provider === "string" && typeof model === "string" ? [{ provider, model }] : [];
  return [...own, ...Object.values(block).flatMap(modelsIn)];
}
