import { describe, expect, test } from "bun:test";
import { newId } from "../../../../../src/kit/id.ts";
import { readCounters } from "../../../../../src/services/platform/counters/credit-counters.ts";
import type { RunAttempt } from "../../../../../src/services/platform/runs/admission/admission.ts";
import { admitInvocation } from "../../../../../src/services/platform/runs/admission/admit-invocation.ts";
import { sweepInterrupted } from "../../../../../src/services/platform/runs/sweep/run-sweep.ts";
import { attemptOf, fillLedger, ledgerIn } from "../../../../support/campaign/open-ledger.ts";
import { postgresMissing, postgresServer } from "../../../../support/postgres.ts";
import { temporaryFolder } from "../../../../support/temp-folder.ts";

const now = new Date("2026-03-10T12:00:30.000Z");
const reason = postgresMissing === undefined ? "" : ` (${postgresMissing})`;

/** Opens two connection pools over one database, like two executables. */
async function openTwice() {
  const url = await (await postgresServer()).createDatabase();
  const held = new AsyncDisposableStack();
  const open = async () => {
    const folder = held.use(temporaryFolder());
    const ledger = await ledgerIn(folder.path, url);
    held.defer(() => ledger.close());
    return ledger;
  };
  const one = await open();
  const other = await open();
  return { one, other, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

type Two = Awaited<ReturnType<typeof openTwice>>;

const admitAtBoth = ({ one, other }: Two, count: number, change: () => Partial<RunAttempt> = () => ({})) =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      admitInvocation(index % 2 === 0 ? one : other, attemptOf("t1", now, change())),
    ),
  );

describe.skipIf(postgresMissing !== undefined)(`two processes on one PostgreSQL${reason}`, () => {
  test("share places, minutes and credits exactly", async () => {
    await using two = await openTwice();
    await fillLedger(two.one, { maxConcurrency: 20, maxRpm: 30, creditCapPeriodMicros: 10 * 64_000 });
    const verdicts = await admitAtBoth(two, 60);
    // Exactly ten holds of 64,000 micros fit.
    expect(verdicts.filter(({ kind }) => kind === "admitted")).toHaveLength(10);
    const counter = (await readCounters(two.one.read, two.one.tables, "t1", "2026-03")).get("tenant");
    expect(counter).toMatchObject({ heldMicros: 640_000, chargedMicros: 0 });
  });

  test("give a key to one of them alone", async () => {
    await using two = await openTwice();
    await fillLedger(two.one, { maxConcurrency: null, maxRpm: null });
    const key = newId();
    const verdicts = await admitAtBoth(two, 20, () => ({ idempotency: { key, bodyHash: "h" } }));
    const kinds = verdicts.map(({ kind }) => kind).toSorted();
    expect(kinds).toEqual(["admitted", ...Array.from({ length: 19 }, () => "replay" as const)]);
  });

  test("sweep each dead run once", async () => {
    await using two = await openTwice();
    await fillLedger(two.one, { maxConcurrency: null, maxRpm: null, creditCapPeriodMicros: null });
    await admitAtBoth(two, 30);
    const later = new Date(now.getTime() + 180_000);
    const swept = await Promise.all([sweepInterrupted(two.one, later), sweepInterrupted(two.other, later)]);
    expect(swept[0] + swept[1]).toBe(30);
    const counter = (await readCounters(two.one.read, two.one.tables, "t1", "2026-03")).get("tenant");
    expect(counter).toMatchObject({ heldMicros: 0 });
  });
});
