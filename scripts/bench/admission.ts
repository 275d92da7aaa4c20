/**
 * Measures the ledger's cost per run: CPU of admitting and settling on SQLite, and the rate of admissions on PostgreSQL, next to the same
 * transaction written by hand over the same driver, in turns. Goals: at most 0.5 ms, and at least half the rate.
 *
 *   bun scripts/bench/admission.ts [runs] [rounds]
 */
import { SQL } from "bun";
import { newId } from "../../src/kit/id.ts";
import { admitInvocation } from "../../src/services/platform/runs/admission/admit-invocation.ts";
import { settleInvocation } from "../../src/services/platform/runs/settlement/settle-invocation.ts";
import { requireRoom } from "../../src/storage/room.ts";
import { postgresMissing, postgresServer } from "../../tests/support/postgres.ts";
import { answeredWith, attemptOf, fillLedger, type Ledger, openLedger } from "./campaign/open-ledger.ts";
import { rawAdmission } from "./raw-admission.ts";

const runs = Number(process.argv[2] ?? 4000);
const rounds = Number(process.argv[3] ?? 5);
const goals = { cpuMs: 0.5, share: 0.5 };
/** Number of concurrent runs, each of another tenant. */
const atOnce = 8;
const unlimited = { maxRpm: null, maxConcurrency: null, creditCapPeriodMicros: null };
const now = new Date("2026-03-10T12:00:00.000Z");

/** Runs `count` jobs, `atOnce` of them at a time. */
async function inParallel(count: number, job: (lane: number) => Promise<unknown>): Promise<void> {
  let left = count;
  await Promise.all(
    Array.from({ length: atOnce }, async (_, lane) => {
      while (left-- > 0) await job(lane);
    }),
  );
}

async function runOnce(ledger: Ledger, lane: number): Promise<void> {
  const attempt = attemptOf(`t${lane}`, now);
  await admitInvocation(ledger, attempt);
  await settleInvocation(ledger, attempt, answeredWith(500), now);
}

/** Returns the CPU time of a run in milliseconds, the best of the rounds. */
async function cpuOnSqlite(): Promise<number> {
  await using ledger = await openLedger();
  await fillLedger(ledger, unlimited);
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round <= rounds; round++) {
    const before = process.cpuUsage();
    await inParallel(runs, (lane) => runOnce(ledger, lane));
    const { user, system } = process.cpuUsage(before);
    // The first round is a warm-up.
    if (round > 0) best = Math.min(best, (user + system) / 1000 / runs);
  }
  return best;
}

/** Returns the CPU time of reading what a run's tenant stores, in milliseconds, the best of the rounds. */
async function roomCpuOnSqlite(): Promise<number> {
  await using ledger = await openLedger();
  await fillLedger(ledger, unlimited);
  await inParallel(atOnce, (lane) => runOnce(ledger, lane));
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round <= rounds; round++) {
    const before = process.cpuUsage();
    await inParallel(runs, (lane) => requireRoom(ledger, `t${lane}`, () => null));
    const { user, system } = process.cpuUsage(before);
    if (round > 0) best = Math.min(best, (user + system) / 1000 / runs);
  }
  return best;
}

/** Measures admissions per second: ours, and the hand-written ones. */
async function ratesOnPostgres(): Promise<{ ours: number; raw: number }[]> {
  const url = await (await postgresServer()).createDatabase();
  await using ledger = await openLedger(url);
  await fillLedger(ledger, unlimited);
  await using connection = new SQL({ url, max: atOnce });
  const perSecond = async (job: (lane: number) => Promise<unknown>) => {
    await ledger.transact(async (tx) => {
      for (const table of [ledger.tables.invocations, ledger.tables.runTokens]) await tx.delete(table);
    });
    const startedMs = performance.now();
    await inParallel(runs, job);
    return (runs * 1000) / (performance.now() - startedMs);
  };
  const figures: { ours: number; raw: number }[] = [];
  for (let round = 0; round <= rounds; round++) {
    const ours = await perSecond((lane) => admitInvocation(ledger, attemptOf(`ours${lane}`, now)));
    const raw = await perSecond((lane) => rawAdmission(connection, `raw${lane}`, newId(), now));
    if (round > 0) figures.push({ ours, raw });
  }
  return figures;
}

const cpuMs = await cpuOnSqlite();
console.log(
  `sqlite    ${cpuMs.toFixed(3)} ms CPU for a run's admission and settlement (goal ${goals.cpuMs})`,
);
const roomMs = await roomCpuOnSqlite();
console.log(
  `sqlite    ${roomMs.toFixed(4)} ms CPU of it to read what the tenant stores: ${((roomMs / cpuMs) * 100).toFixed(1)} %`,
);
let isMet = cpuMs <= goals.cpuMs;
if (postgresMissing === undefined) {
  const figures = await ratesOnPostgres();
  for (const { ours, raw } of figures) {
    console.log(`postgres  ${ours.toFixed(0)}/s, by hand ${raw.toFixed(0)}/s: ${(ours / raw).toFixed(2)}×`);
  }
  const shares = figures.map(({ ours, raw }) => ours / raw).toSorted((one, other) => one - other);
  const median = shares[Math.floor(shares.length / 2)] ?? 0;
  console.log(`postgres  median ${median.toFixed(2)}× (goal ${goals.share})`);
  isMet &&= median >= goals.share;
} else {
  console.log(`postgres  skipped: ${postgresMissing}`);
}
process.exit(isMet ? 0 : 1);
