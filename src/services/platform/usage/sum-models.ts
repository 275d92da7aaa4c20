import { and, eq, lte, notExists, type SQL, sql } from "drizzle-orm";
import type { ReadQuery, Storage } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";
import { providerKey } from "../tariffs/provider-key.ts";
import { invocationWindows } from "./invocation-windows.ts";
import type { UsageTables } from "./schema.ts";
import { among, type SummedInvocations, total } from "./sum-invocations.ts";

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

/** Adds up the models of runs by month, model and role, from the sums that triggers keep. */
export async function modelSums(
  query: ReadQuery,
  { invocationModelSums: sums }: UsageTables,
  wanted: SummedInvocations,
): Promise<ModelSum[]> {
  const { month, model, role } = sums;
  const provider = providerKey(sums.provider);
  return query
    .select({
      month,
      provider,
      model,
      role,
      invocations: total(sums.uses),
      tokensIn: total(sums.tokensIn),
      tokensOut: total(sums.tokensOut),
      tokensCached: total(sums.tokensCached),
    })
    .from(sums)
    .where(among(sums, wanted))
    .groupBy(month, provider, model, role)
    .having(sql`sum(${sums.uses}) > 0`);
}

/** Both databases read a field of a JSON object with `->>`. */
const text = (name: "provider" | "model" | "role") => sql<string>`used.value ->> ${sql.raw(`'${name}'`)}`;
const sumOf = (name: "tokens_in" | "tokens_out" | "tokens_cached") =>
  sql`sum(cast(used.value ->> ${sql.raw(`'${name}'`)} as bigint))`.mapWith(Number);

/**
 * Yields sums by model over the runs of a month that could not be priced, for models that had no stored tariff in force when the run was
 * priced. The same model may occur several times.
 */
export async function* unpricedModelSums(
  { read, tables, dialect }: Storage<PlatformTables>,
  period: string,
): AsyncGenerator<ModelSum> {
  const { invocations, tariffs } = tables;
  const used =
    dialect === "postgres"
      ? sql`jsonb_array_elements(${invocations.byModel}) as used(value)`
      : sql`json_each(${invocations.byModel}) as used`;
  const [provider, model, role] = [providerKey(text("provider")), text("model"), text("role")];
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
  // A literal, so that the partial index serves the windows.
  const scope: SQL | undefined = and(
    sql`${invocations.pricingStatus} = 'unpriced'`,
    eq(invocations.month, period),
  );
  for await (const { isIn: window } of invocationWindows(read, tables, scope)) {
    yield* await read
      .select({
        month: invocations.month,
        provider,
        model,
        role,
        invocations: sql`count(*)`.mapWith(Number),
        tokensIn: sumOf("tokens_in"),
        tokensOut: sumOf("tokens_out"),
        tokensCached: sumOf("tokens_cached"),
      })
      .from(invocations)
      .innerJoin(used, sql`true`)
      .where(and(window, notExists(tariff)))
      .groupBy(invocations.month, provider, model, role);
  }
}
