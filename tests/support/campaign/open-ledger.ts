import { schemaChange } from "../../../scripts/schema-change.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { newId } from "../../../src/kit/id.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { PostgresServers } from "../../../src/kit/postgres/postgres-servers.ts";
import { defaultPlan } from "../../../src/services/platform/plans/default-plan.ts";
import type { PlanRow } from "../../../src/services/platform/plans/schema.ts";
import type { RunAttempt } from "../../../src/services/platform/runs/admission/admission.ts";
import type { RunEnding } from "../../../src/services/platform/runs/settlement/settle-invocation.ts";
import { type PlatformTables, tables } from "../../../src/services/platform/tables.ts";
import { openStorage } from "../../../src/storage/open-storage.ts";
import type { Storage } from "../../../src/storage/storage.ts";
import type { Dialect } from "../../../src/storage/tables/columns.ts";
import { temporaryFolder } from "../temp-folder.ts";

/** The platform's database alone. */
export type Ledger = Storage<PlatformTables>;

/** Micros per 1000 tokens of the only model with a tariff. */
export const ledgerRate = 1000;

const model = { provider: "lab", model: "test-model" };

/** Opens a ledger: the SQLite file in `folder`, or the database of `url`; creates it if it does not exist. */
export async function ledgerIn(folder: string, url?: string): Promise<Ledger> {
  const step = async (dialect: Dialect) => [
    { tag: "0000_init", sql: (await schemaChange(dialect, "platform", tables, undefined)).sql },
  ];
  // Many calls at once on a busy machine may wait longer than the product's users would.
  const patienceMs = 120_000;
  const servers = new PostgresServers(systemClock, { hangMs: patienceMs });
  const storage = await openStorage({
    service: "platform",
    tables,
    migrations: { sqlite: await step("sqlite"), postgres: await step("postgres") },
    folder,
    ...(url === undefined ? {} : { url }),
    log: silentLogger,
    clock: systemClock,
    random: Math.random,
    servers,
    statementMs: patienceMs,
  });
  return {
    ...storage,
    async close() {
      await storage.close();
      servers.close();
    },
  };
}

/** Opens an empty ledger: a SQLite file in its own folder, or the database of `url`. */
export async function openLedger(url?: string): Promise<Ledger & AsyncDisposable & { folder: string }> {
  const folder = temporaryFolder();
  const storage = await ledgerIn(folder.path, url);
  return {
    ...storage,
    folder: folder.path,
    async [Symbol.asyncDispose]() {
      await storage.close();
      folder[Symbol.dispose]();
    },
  };
}

/** Inserts the default plan with the changes of `plan`, and the model's tariff. */
export async function fillLedger(
  { tables: all, transact }: Ledger,
  plan: Partial<PlanRow> = {},
): Promise<void> {
  const createdAt = new Date(0);
  await transact(async (tx) => {
    await tx.insert(all.plans).values({ ...defaultPlan, ...plan, createdAt });
    await tx.insert(all.tariffs).values({
      id: newId(),
      ...model,
      effectiveFrom: createdAt,
      creditsPer1kIn: ledgerRate,
      creditsPer1kOut: ledgerRate,
      creditsPer1kCached: null,
      providerCostPer1kIn: 100,
      providerCostPer1kOut: 100,
      infraCostPerSecond: null,
      own: false,
      createdAt,
    });
  });
}

export const attemptOf = (tenantId: string, now: Date, change: Partial<RunAttempt> = {}): RunAttempt => ({
  tenantId,
  invocationId: newId(),
  agent: { id: "a1", name: "support", version: 1, subscriptionId: null },
  sessionId: "s",
  caller: "cli",
  source: null,
  candidates: [model],
  idempotency: undefined,
  runToken: { hash: newId(), reach: {}, request: null },
  owner: "p1",
  now,
  timeoutMs: 120_000,
  ...change,
});

export const answeredWith = (tokens: number): RunEnding => ({
  status: "ok",
  usage: [{ ...model, role: "main", tokens_in: tokens, tokens_out: 0, tokens_cached: 0, estimated: false }],
  durationMs: 10,
  isCharged: true,
});
