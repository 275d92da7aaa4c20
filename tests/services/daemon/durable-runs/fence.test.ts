import { expect, test } from "bun:test";
import type { Turn } from "../../../../src/engine/memory/conversation.ts";
import { newId } from "../../../../src/kit/id.ts";
import { silentLogger } from "../../../../src/kit/log.ts";
import { DurableRuns } from "../../../../src/services/daemon/durable-runs/durable-runs.ts";
import { requireOwnRun } from "../../../../src/services/daemon/durable-runs/fence.ts";
import { conversationStore } from "../../../../src/services/daemon/memory/stores/sql/sql-store.ts";
import { tables } from "../../../../src/services/daemon/tables.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { outcome } from "../../../support/refusal.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const at = new Date("2026-01-01T00:00:00.000Z");
const turns: Turn[] = [
  { role: "user", content: "hi", at, tokenCount: 1, metadata: {} },
  { role: "assistant", content: "Hello.", at, tokenCount: 1, metadata: {} },
];
const session = { tenant: "t", agent: "helper", sessionId: "s" };

onEachEngine("the exchange of a durable run", (engine) => {
  async function open() {
    const storage = await engine.open({ service: "daemon", tables });
    const process = () =>
      new DurableRuns({
        storage,
        sealer: undefined,
        clock: new FakeClock(),
        log: silentLogger,
        stopping: new AbortController().signal,
      });
    const store = conversationStore(storage, newId, (tx, fence) => requireOwnRun(tx, storage.tables, fence));
    return { storage, store, process };
  }
  const fingerprint = () => "same";

  test("is not stored by a process that was stopped while another continued and ended the run: 409", async () => {
    const { storage, store, process } = await open();
    await using _ = storage;
    const key = { tenant: "t", runId: "run-1" };
    const stopped = process().begin(key, fingerprint);
    const next = process();
    const { steps } = await next.takeOver(key, fingerprint);
    await store.append(session, turns, undefined, steps.fence);
    steps.add(() => ({ kind: "now", key: "k", at: at.toISOString() }));
    await steps.stored();
    await next.forget([key]);
    const late = outcome(store.append(session, turns, undefined, stopped.fence));
    if (storage.dialect === "postgres")
      expect(await late).toMatchObject({ code: "run_taken_over", status: 409 });
    // A SQLite file has no second process.
    else expect(await late).toBeUndefined();
    expect(await store.recent(session, 9)).toHaveLength(storage.dialect === "postgres" ? 2 : 4);
    // Other runs, and those of other tenants, are not concerned.
    for (const other of [
      { ...key, tenant: "u" },
      { ...key, runId: "run-2" },
    ])
      await store.append({ ...session, sessionId: "other" }, turns, undefined, { ...other, from: 0 });
  });

  test("is seen by the process that continues the run, or not stored, whoever is first", async () => {
    const { storage, store, process } = await open();
    await using _ = storage;
    if (storage.dialect !== "postgres") return;
    const seen = new Set<string>();
    for (let number = 0; number < 40; number++) {
      const key = { tenant: "t", runId: `run-${number}` };
      const own = { ...session, sessionId: `s-${number}` };
      const stopped = process().begin(key, fingerprint);
      const taking = process().takeOver(key, fingerprint);
      const [late, found] = await Promise.all([
        outcome(store.append(own, turns, undefined, stopped.fence)),
        taking.then(() => store.recent(own, 9)),
      ]);
      expect(found).toHaveLength(late === undefined ? 2 : 0);
      seen.add(late === undefined ? "stored" : "refused");
    }
    expect(seen.size).toBeGreaterThan(0);
  });
});

test("a run leaves what was stopped to another process once the one is gone that asked for it", () => {
  const runs = new DurableRuns({
    storage: undefined as never,
    sealer: undefined,
    clock: new FakeClock(),
    log: silentLogger,
    stopping: new AbortController().signal,
  });
  const left = new AbortController();
  const key = { tenant: "t", runId: "run-1" };
  const [own, others] = [runs.begin(key, () => "same"), runs.begin(key, () => "same", { left: left.signal })];
  expect([own.isLeaving(), others.isLeaving()]).toEqual([false, false]);
  left.abort();
  expect([own.isLeaving(), others.isLeaving()]).toEqual([false, true]);
});
