import { and, asc, eq, inArray, isNull, sql } from "drizzle-orm";
import {
  type AttributedCosts,
  type Attribution,
  attributedRowsMax,
  type CostAttribution,
  type UsageAttribution,
} from "../../../contracts/platform/attribution.ts";
import { batches } from "../../../kit/batches.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { firstOf } from "../../../kit/ranking.ts";
import type { ReadQuery, Storage } from "../../../storage/storage.ts";
import { isUnattributed } from "../runs/settlement/attribute-runs.ts";
import type { PlatformTables } from "../tables.ts";
import { tenantNames } from "../tenants/tenant-names.ts";

interface Asked {
  by: Attribution;
  period: string;
  /** All tenants if undefined. */
  tenantId: string | undefined;
}

type CostRow = CostAttribution["rows"][number];
type SumRow = PlatformTables["attributedUsage"]["$inferSelect"];

/** Rows that one query reads. */
const rowsPerQuery = 1000;

/** Splits the ended runs of a month by key, member or model, with the operator's costs. Reads sums, not runs. */
export async function readCosts(
  { read, tables }: Storage<PlatformTables>,
  asked: Asked,
): Promise<CostAttribution> {
  const { by, period, tenantId } = asked;
  const total: AttributedCosts = { ...none };
  const groups = new Map<string, CostRow>();
  const makers = new Map<string, string>();
  for await (const rows of sumPages(read, tables, asked)) {
    if (by === "member") await learnMakers(read, tables, rows, makers);
    for (const row of rows) {
      addTo(total, row, runsOf(row));
      const id = idOf(row, by, makers);
      const tenant = by === "model" ? (tenantId ?? null) : row.tenantId;
      const key = JSON.stringify([tenant, id]);
      const group = groups.get(key) ?? { id, name: "", tenant_id: tenant, tenant_name: null, ...none };
      groups.set(key, group);
      // A run counts once, but at each model that it used.
      addTo(group, row, by === "model" && row.model !== "" ? usesOf(row) : runsOf(row));
    }
  }
  const rows = firstOf(groups.values(), attributedRowsMax, byCredits);
  const others = groups.size > rows.length ? restOf(groups.values(), rows) : null;
  await nameRows(read, tables, rows, by);
  const [waiting] = await read
    .select({ id: tables.invocations.id })
    .from(tables.invocations)
    .where(isUnattributed(tables))
    .limit(1);
  return { period, by, complete: waiting === undefined, rows, others, total };
}

/** The same without what only operators see. */
export async function readAttribution(
  storage: Storage<PlatformTables>,
  asked: Asked & { tenantId: string },
): Promise<UsageAttribution> {
  const { rows, others, total, ...report } = await readCosts(storage, asked);
  return {
    ...report,
    rows: rows.map(({ id, name, ...sums }) => ({ id, name, ...withoutCosts(sums) })),
    others: others && withoutCosts(others),
    total: withoutCosts(total),
  };
}

const none: AttributedCosts = {
  invocations: 0,
  tokens_in: 0,
  tokens_out: 0,
  tokens_cached: 0,
  credits_charged_micros: 0,
  provider_cost_micros: 0,
  unknown_cost_invocations: 0,
};

const withoutCosts = ({
  invocations,
  tokens_in,
  tokens_out,
  tokens_cached,
  credits_charged_micros,
}: AttributedCosts) => ({ invocations, tokens_in, tokens_out, tokens_cached, credits_charged_micros });

async function* sumPages(
  read: ReadQuery,
  { attributedUsage: sums }: PlatformTables,
  { period, tenantId }: Asked,
): AsyncGenerator<SumRow[]> {
  const order = [sums.tenantId, sums.caller, sums.provider, sums.model] as const;
  for (let last: SumRow | undefined; ; ) {
    const rows = await read
      .select()
      .from(sums)
      .where(
        and(
          eq(sums.month, period),
          tenantId === undefined ? undefined : eq(sums.tenantId, tenantId),
          last &&
            sql`(${sql.join([...order], sql`, `)}) > (${last.tenantId}, ${last.caller}, ${last.provider}, ${last.model})`,
        ),
      )
      .orderBy(...order.map((column) => asc(column)))
      .limit(rowsPerQuery);
    yield rows;
    last = rows.at(-1);
    if (last === undefined || rows.length < rowsPerQuery) return;
    await othersTurn();
  }
}

type Counts = Pick<AttributedCosts, "invocations" | "unknown_cost_invocations">;

const runsOf = ({ invocations, unknownCosts }: SumRow): Counts => ({
  invocations,
  unknown_cost_invocations: unknownCosts,
});
const usesOf = ({ uses, unknownUses }: SumRow): Counts => ({
  invocations: uses,
  unknown_cost_invocations: unknownUses,
});

function addTo(sum: AttributedCosts, row: SumRow, counts: Counts): void {
  sum.invocations += counts.invocations;
  sum.unknown_cost_invocations += counts.unknown_cost_invocations;
  sum.tokens_in += row.tokensIn;
  sum.tokens_out += row.tokensOut;
  sum.tokens_cached += row.tokensCached;
  sum.credits_charged_micros += row.chargedMicros;
  sum.provider_cost_micros += row.providerCostMicros;
}

function restOf(all: Iterable<AttributedCosts>, listed: readonly AttributedCosts[]): AttributedCosts {
  const rest = { ...none };
  const isListed = new Set(listed);
  for (const row of all) {
    if (isListed.has(row)) continue;
    for (const name of Object.keys(none) as (keyof AttributedCosts)[]) rest[name] += row[name];
  }
  return rest;
}

const keyOf = ({ caller }: Pick<SumRow, "caller">) => /^key:(.+)$/.exec(caller)?.[1];
const personOf = ({ caller }: Pick<SumRow, "caller">) => /^user:(.+)$/.exec(caller)?.[1];

function idOf(row: SumRow, by: Attribution, makers: ReadonlyMap<string, string>): string | null {
  if (by === "model") return row.model === "" ? null : `${row.provider}/${row.model}`;
  const key = keyOf(row);
  if (by === "key") return key ?? null;
  return (key === undefined ? personOf(row) : makers.get(key)) || null;
}

/** Learns who made the keys of some rows. */
async function learnMakers(
  read: ReadQuery,
  { apiKeys }: PlatformTables,
  rows: readonly SumRow[],
  makers: Map<string, string>,
): Promise<void> {
  const hashes = new Set(rows.flatMap((row) => keyOf(row) ?? []).filter((hash) => !makers.has(hash)));
  if (hashes.size === 0) return;
  const { hash, createdBy } = apiKeys;
  const found = await read
    .select({ hash, createdBy })
    .from(apiKeys)
    .where(inArray(hash, [...hashes]));
  for (const row of found) makers.set(row.hash, row.createdBy);
}

const noName = { key: "No key", member: "No member", model: "No model" };

async function nameRows(
  read: ReadQuery,
  tables: PlatformTables,
  rows: readonly CostRow[],
  by: Attribution,
): Promise<void> {
  const tenants = await tenantNames(
    read,
    tables,
    rows.map(({ tenant_id }) => tenant_id),
  );
  const names = by === "model" ? undefined : await (by === "key" ? keyLabels : emails)(read, tables, rows);
  for (const row of rows) {
    row.tenant_name = tenants.get(row.tenant_id ?? "") ?? null;
    row.name = row.id === null ? noName[by] : (names?.get(row.id) ?? (names ? gone[by] : row.id));
  }
}

const gone: Record<Attribution, string> = { key: "Deleted key", member: "Deleted account", model: "" };

/** Ids in one statement. */
const idsAtOnce = 500;

async function keyLabels(read: ReadQuery, { apiKeys }: PlatformTables, rows: readonly CostRow[]) {
  const labels = new Map<string, string>();
  for (const some of batches(rows, idsAtOnce)) {
    const ids = some.flatMap(({ id }) => id ?? []);
    const { hash, label } = apiKeys;
    for (const row of await read.select({ hash, label }).from(apiKeys).where(inArray(hash, ids)))
      labels.set(row.hash, row.label);
  }
  return labels;
}

async function emails(read: ReadQuery, { users }: PlatformTables, rows: readonly CostRow[]) {
  const found = new Map<string, string>();
  for (const some of batches(rows, idsAtOnce)) {
    const ids = [...new Set(some.flatMap(({ id }) => id ?? []))];
    const { id, email, deletedAt } = users;
    const isLive = and(inArray(id, ids), isNull(deletedAt));
    for (const row of await read.select({ id, email }).from(users).where(isLive))
      found.set(row.id, row.email);
  }
  return found;
}

const byCredits = (one: CostRow, other: CostRow) =>
  other.credits_charged_micros - one.credits_charged_micros ||
  other.provider_cost_micros - one.provider_cost_micros ||
  other.tokens_in + other.tokens_out - one.tokens_in - one.tokens_out ||
  (JSON.stringify([one.tenant_id, one.id]) < JSON.stringify([other.tenant_id, other.id]) ? -1 : 1);
