import { desc } from "drizzle-orm";
import { canonicalProvider } from "../../../engine/models/providers/registry.ts";
import type { StoreDeps } from "../tables.ts";
import { ratesInForce } from "./rates-in-force.ts";

/** Small enough to be read at any time. */
const runsLately = 1000;

/** Returns `provider/model` of each model in the latest runs of all tenants that has no tariff now, sorted by name. */
export async function unpricedLately({
  storage: { read, tables },
  clock,
}: Pick<StoreDeps, "storage" | "clock">): Promise<string[]> {
  const { invocations } = tables;
  const rows = await read
    .select({ byModel: invocations.byModel })
    .from(invocations)
    .orderBy(desc(invocations.id))
    .limit(runsLately);
  const used = rows.flatMap(({ byModel }) => byModel);
  const ratesOf = await ratesInForce(read, tables, used, clock.now());
  const unpriced = used.filter(({ provider, model }) => ratesOf(provider, model) === undefined);
  return [
    ...new Set(unpriced.map(({ provider, model }) => `${canonicalProvider(provider)}/${model}`)),
  ].sort();
}
