import { Database } from "bun:sqlite";
import { join } from "node:path";
import { SQL } from "bun";
import { eq } from "drizzle-orm";
import { readCounters } from "../../../src/services/platform/counters/credit-counters.ts";
import type { RunAttempt } from "../../../src/services/platform/runs/admission/admission.ts";
import { admitInvocation } from "../../../src/services/platform/runs/admission/admit-invocation.ts";
import { holdTokensMin } from "../../../src/services/platform/runs/admission/size-hold.ts";
import {
  type RunEnding,
  settleInvocation,
} from "../../../src/services/platform/runs/settlement/settle-invocation.ts";
import { answeredWith, attemptOf, fillLedger, type Ledger, openLedger } from "./open-ledger.ts";
import { pick, seeded } from "./seeded.ts";

const capMicros = 1_000_000;
const now = new Date("2026-03-10T12:00:00.000Z");

/** The result of a campaign; faults are sentences. */
export interface CapFigures {
  seeds: number;
  admitted: number;
  refused: number;
  faults: string[];
}

/**
 * For each seed, runs `parallel` runs of a tenant at once under one cap, with providers that report up to twice the allowed usage. The
 * database itself refuses every write after which charged and held would exceed the cap, so that no instant is missed.
 */
export async function creditCapCampaign(
  { seeds, parallel }: { seeds: number; parallel: number },
  url?: string,
): Promise<CapFigures> {
  await using ledger = await openLedger(url);
  const unlimited = { maxRpm: null, maxConcurrency: null, creditCapPeriodMicros: capMicros };
  await fillLedger(ledger, unlimited);
  await watchCap(ledger.folder, url);
  const figures: CapFigures = { seeds, admitted: 0, refused: 0, faults: [] };
  for (let seed = 1; seed <= seeds; seed++) {
    await oneTenant(ledger, seed, parallel, figures).catch((thrown: unknown) => {
      figures.faults.push(`seed ${seed}: ${thrown}`);
    });
  }
  return figures;
}

async function oneTenant(ledger: Ledger, seed: number, parallel: number, figures: CapFigures): Promise<void> {
  const random = seeded(seed);
  const tenantId = `t${seed}`;
  const plans = Array.from({ length: parallel }, () => ({
    turns: Math.floor(random() * 40),
    ending: endingBy(random),
  }));
  const runs = await Promise.all(
    plans.map(async ({ turns, ending }) => {
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      return oneRun(ledger, tenantId, ending);
    }),
  );
  figures.admitted += runs.filter((isAdmitted) => isAdmitted).length;
  figures.refused += runs.filter((isAdmitted) => !isAdmitted).length;
  const { charged, held } = await counted(ledger, tenantId);
  const recorded = await chargedOnRecord(ledger, tenantId);
  if (held !== 0) figures.faults.push(`seed ${seed}: ${held} micros are still held`);
  if (recorded !== charged) figures.faults.push(`seed ${seed}: charged ${charged}, on record ${recorded}`);
  await useUp(ledger, tenantId, figures);
}

/** Runs one after the other until nothing is left. A run must be admitted if and only if the rest pays for it. */
async function useUp(ledger: Ledger, tenantId: string, figures: CapFigures): Promise<void> {
  for (;;) {
    const { charged } = await counted(ledger, tenantId);
    const isAdmitted = await oneRun(ledger, tenantId, answeredWith(64_000));
    // One micro buys one token here.
    const fits = capMicros - charged >= holdTokensMin;
    if (isAdmitted !== fits) figures.faults.push(`${tenantId}: ${capMicros - charged} left, ${isAdmitted}`);
    if (!isAdmitted) return;
  }
}

/** Tries one run and settles it; returns true if it was admitted. */
async function oneRun(ledger: Ledger, tenantId: string, ending: RunEnding): Promise<boolean> {
  const attempt: RunAttempt = attemptOf(tenantId, now);
  const verdict = await admitInvocation(ledger, attempt);
  if (verdict.kind !== "admitted") return false;
  await settleInvocation(ledger, attempt, ending, now);
  return true;
}

function endingBy(random: () => number): RunEnding {
  const answered = answeredWith(Math.floor(random() * 128_000));
  const status = pick<RunEnding["status"]>(random, ["ok", "ok", "ok", "error", "timeout", "interrupted"]);
  return { ...answered, status, isCharged: status === "ok" };
}

async function counted(ledger: Ledger, tenantId: string): Promise<{ charged: number; held: number }> {
  const counter = (await readCounters(ledger.read, ledger.tables, tenantId, "2026-03")).get("tenant");
  return { charged: counter?.chargedMicros ?? 0, held: counter?.heldMicros ?? 0 };
}

async function chargedOnRecord({ read, tables: { invocations } }: Ledger, tenantId: string): Promise<number> {
  const rows = await read
    .select({ charged: invocations.chargedMicros })
    .from(invocations)
    .where(eq(invocations.tenantId, tenantId));
  return rows.reduce((sum, { charged }) => sum + charged, 0);
}

/** Makes the database refuse writes that exceed the cap. */
async function watchCap(folder: string, url: string | undefined): Promise<void> {
  if (url === undefined) {
    using database = new Database(join(folder, "platform.db"));
    database.run(`create trigger cap_watch after update on credit_counters
      when new.charged_micros + new.held_micros > ${capMicros}
      begin select raise(abort, 'cap passed'); end`);
    return;
  }
  await using connection = new SQL({ url, max: 1 });
  await connection.unsafe(`alter table platform.credit_counters
    add constraint cap_watch check (charged_micros + held_micros <= ${capMicros})`);
}

/** Returns how many of `calls` at once are admitted under a limit of `maxRpm` per minute. */
export async function rateCampaign(
  { calls, maxRpm }: { calls: number; maxRpm: number },
  url?: string,
): Promise<number> {
  await using ledger = await openLedger(url);
  await fillLedger(ledger, { maxRpm, maxConcurrency: null, creditCapPeriodMicros: null });
  const verdicts = await Promise.all(
    Array.from({ length: calls }, () => admitInvocation(ledger, attemptOf("t1", now))),
  );
  return verdicts.filter(({ kind }) => kind === "admitted").length;
}
