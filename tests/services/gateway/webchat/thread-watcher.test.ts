import { expect, test } from "bun:test";
import { newId } from "../../../../src/kit/id.ts";
import { tables } from "../../../../src/services/gateway/tables.ts";
import { bellKey, ThreadBell, threadWatcher } from "../../../../src/services/gateway/webchat/thread-bell.ts";
import { appendMessage, lockThread } from "../../../../src/services/gateway/webchat/thread-store.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

onEachEngine("the watcher of threads", (engine) => {
  test("wakes the streams of a thread that another process wrote to, once for each message", async () => {
    await using storage = await engine.open({ service: "gateway", tables });
    const clock = new FakeClock();
    const bell = new ThreadBell();
    const key = { tenantId: "a", accountId: newId(), visitor: "ana" };
    const write = (visitor: string) =>
      storage.transact(async (tx) => {
        const now = clock.now();
        const thread = await lockThread(tx, storage.tables, { ...key, visitor }, { now, newId });
        const message = { id: newId(), side: "agente" as const, text: "Hi", media: [], ref: null };
        await appendMessage(tx, storage.tables, thread, message, now);
      });
    const rung: string[] = [];
    const stopping = new AbortController();
    const listen = async (visitor: string) => {
      using watch = bell.watch(bellKey({ ...key, visitor }));
      for (;;) {
        await watch.wait(stopping.signal);
        if (stopping.signal.aborted) return;
        rung.push(visitor);
      }
    };
    const listening = [listen("ana"), listen("eva")];
    const watcher = threadWatcher({ storage, clock, bell });
    const working = watcher.run(stopping.signal);
    /** Lets the watcher look once. */
    const look = async () => {
      while (clock.pending === 0) await new Promise(setImmediate);
      await clock.advance(1_000);
      while (clock.pending === 0) await new Promise(setImmediate);
    };
    await look();
    expect(rung).toEqual([]);
    await write("ana");
    await look();
    await look();
    expect(rung).toEqual(["ana"]);
    await write("ana");
    await look();
    expect(rung).toEqual(["ana", "ana"]);
    await write("eva");
    await look();
    expect(rung).toEqual(["ana", "ana", "eva"]);
    stopping.abort();
    await Promise.all([...listening, working]);
    expect(bell.watches).toBe(0);
  });
});
