import { expect, test } from "bun:test";
import { newId } from "../../../../src/kit/id.ts";
import { admitInvocation } from "../../../../src/services/platform/runs/admission/admit-invocation.ts";
import { settleInvocation } from "../../../../src/services/platform/runs/settlement/settle-invocation.ts";
import { tables } from "../../../../src/services/platform/tables.ts";
import { attemptOf, fillLedger, type Ledger } from "../../../support/campaign/open-ledger.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const before = new Date("2026-03-31T23:59:59.990Z");
const after = new Date("2026-04-01T00:00:00.010Z");

const endless = { maxRpm: null, creditCapPeriodMicros: null };

/** Returns how many of `count` concurrent attempts are admitted, by processes that disagree about the month. */
async function beginAtTurn(ledger: Ledger, tenantId: string, count: number): Promise<number> {
  const verdicts = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      admitInvocation(ledger, attemptOf(tenantId, index % 2 === 0 ? before : after)),
    ),
  );
  return verdicts.filter(({ kind }) => kind === "admitted").length;
}

onEachEngine("admission at the turn of a month", (engine) => {
  test("places are counted exactly, whichever month a process believes it is", async () => {
    await using ledger = await engine.open({ service: "platform", tables });
    await fillLedger(ledger, { ...endless, maxConcurrency: 5 });
    for (let round = 0; round < 10; round++) expect(await beginAtTurn(ledger, newId(), 40)).toBe(5);
  });

  test("a run is counted in the month of its admission, also when it ends in the next", async () => {
    await using ledger = await engine.open({ service: "platform", tables });
    await fillLedger(ledger, { ...endless, maxConcurrency: 5 });
    const attempt = attemptOf("t1", before);
    await admitInvocation(ledger, attempt);
    const usage = [
      {
        provider: "lab",
        model: "test-model",
        role: "main",
        tokens_in: 500,
        tokens_out: 0,
        tokens_cached: 0,
        estimated: false,
      },
    ];
    const ending = { status: "ok" as const, usage, durationMs: 10, isCharged: true };
    await settleInvocation(ledger, attempt, ending, after);
    const rows = await ledger.read.select().from(ledger.tables.creditCounters);
    const counted = Object.fromEntries(
      rows.map(({ month, chargedMicros, heldMicros }) => [month, [chargedMicros, heldMicros]]),
    );
    expect(counted).toEqual({ "2026-03": [500, 0], "2026-04": [0, 0] });
  });
});
