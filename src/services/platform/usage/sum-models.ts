import { and, eq, lte, notExists, type SQL, sql } from "drizzle-orm";
import type { Storage } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";
import { providerKey } from "../tariffs/provider-key.ts";
import { invocationWindows } from "./invocation-windows.ts";

/** Usage of a model in a role, by runs of one month. */
export interface ModelSum {
  month: string;
  provider: string;
  model: string;
  role: string;
  invocations: number;
  tokensIn: number;
  tokensOut: number;
  tokensCached: number;
}

/** Both databases read a field of a JSON object with `->>`. */
const text = (name: "provider" | "model" | "role") => sql<string>`used.value ->> ${sql.raw(`'${name}'`)}`;
const total = (name: "tokens_in" | "tokens_out" | "tokens_cached") =>
  sql`sum(cast(used.value ->> ${sql.raw(`'${name}'`)} as bigint))`.mapWith(Number);

/** Yields sums by model over all invocations of a scope. The same month and model may occur several times, once for each window. */
export async function* modelSums(
  storage: Storage<PlatformTables>,
  scope: SQL | undefined,
  /** Includes only those of a run's models that match. */
  which?: SQL,
): AsyncGenerator<ModelSum> {
  const { read, tables, dialect } = storage;
  const { invocations } = tables;
  const used =
    dialect === "postgres"
      ? sql`jsonb_array_elements(${invocations.byModel}) as used(value)`
      : sql`json_each(${invocations.byModel}) as used`;
  const [provider, model, role] = [providerKey(text("provider")), text("model"), text("role")];
  for await (const window of invocationWindows(read, tables, scope)) {
    yield* await read
      .select({
        month: invocations.month,
        provider,
        model,
        role,
        invocations: sql`count(*)`.mapWith(Number),
        tokensIn: total("tokens_in"),
        tokensOut: total("tokens_out"),
        tokensCached: total("tokens_cached"),
      })
      .from(invocations)
      .innerJoin(used, sql`true`)
      .where(and(window, which))
      .groupBy(invocations.month, provider, model, role);
  }
}

/** Condition for `modelSums`: models that had no stored tariff in force when the run was priced. */
export function withoutTariff({ read, tables: { invocations, tariffs } }: Storage<PlatformTables>): SQL {
  const tariff = read
    .select({ id: tariffs.id })
    .from(tariffs)
    .where(
      and(
        eq(providerKey(tariffs.provider), providerKey(text("provider"))),
        eq(tariffs.model, text("model")),
        lte(tariffs.effectiveFrom, invocations.admittedAt),
        lte(tariffs.createdAt, sql`coalesce(${invocations.ratedAt}, ${invocations.endedAt})`),
      ),
    );
  return and(eq(invocations.pricingStatus, "unpriced"), notExists(tariff)) as SQL;
}
