import { expect, test } from "bun:test";
import { createChannelMetrics } from "../../../src/channels/channel-metrics.ts";
import { nothingAwaited } from "../../../src/channels/inbox/awaited-answers.ts";
import { MessageInbox, type Task } from "../../../src/channels/inbox/message-inbox.ts";
import { createSenderLimit } from "../../../src/channels/inbox/sender-limit.ts";
import {
  closeMessages,
  countOpen,
  keepMessages,
  messagesAt,
  moveMessage,
  pruneMessages,
  type StoredMessage,
} from "../../../src/channels/inbox/store.ts";
import { newId } from "../../../src/kit/id.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { MetricRegistry } from "../../../src/kit/metrics.ts";
import { migrations } from "../../../src/services/daemon/migrations.gen.ts";
import { type DaemonTables, tables } from "../../../src/services/daemon/tables.ts";
import type { Storage } from "../../../src/storage/storage.ts";
import { FakeClock, settle } from "../../support/fake-clock.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

const key = { tenant: "t", channel: "phone_messenger", account: "PNID1" };
const at = new Date("2026-01-01T00:00:00.000Z");

const message = (messageId: string, fields: Partial<StoredMessage> = {}): StoredMessage => ({
  messageId,
  id: newId(),
  sender: "52",
  senderKind: "phone",
  contactName: "Ana",
  request: "text",
  text: "hi",
  sentAt: at,
  receivedAt: at,
  ...fields,
});

/** An inbox whose handler closes each message, and the calls of the handler. */
function stageInbox(storage: Storage<DaemonTables>, clock: FakeClock) {
  const handled: [id: string, task: Task][] = [];
  const inbox = new MessageInbox({
    storage,
    key,
    owner: newId(),
    limit: createSenderLimit({ messagesMax: 30, windowMs: 60_000 }),
    awaited: nothingAwaited,
    handle: async ({ id, task }) => {
      if (task === "answer") {
        const taken = await moveMessage(storage, key, id, { from: "waiting", to: "running" });
        if (taken === undefined) return;
      }
      handled.push([id, task]);
      await closeMessages(storage, key, [id]);
    },
    metrics: createChannelMetrics(new MetricRegistry(), "phone_messenger", () => 0),
    clock,
    log: silentLogger,
  });
  const stop = new AbortController();
  const run = inbox.worker().run(stop.signal);
  return {
    inbox,
    handled,
    async end() {
      stop.abort();
      await run;
    },
  };
}

onEachEngine("messages of channels", (engine) => {
  const open = () => engine.open({ tables, service: "daemon", migrations });

  test("a message is kept once, however often and however parallel it comes", async () => {
    await using storage = await open();
    const kept = await Promise.all(
      Array.from({ length: 20 }, () => keepMessages(storage, key, [message("a"), message("b")], 100)),
    );
    expect(kept.reduce((sum, { added }) => sum + added.size, 0)).toBe(2);
    for (const { known, added } of kept) expect(known.size + added.size).toBe(2);
    expect(await countOpen(storage, key)).toBe(2);
  });

  test("other tenants, channels and accounts have messages of their own", async () => {
    await using storage = await open();
    const keys = [key, { ...key, tenant: "u" }, { ...key, channel: "c" }, { ...key, account: "PNID2" }];
    for (const one of keys) expect((await keepMessages(storage, one, [message("a")], 1)).added.size).toBe(1);
    const [first] = await messagesAt(storage, key, "waiting", 10);
    const step = { from: "waiting", to: "running" } as const;
    for (const one of keys.slice(1)) {
      expect(await moveMessage(storage, one, first?.id ?? "", step)).toBeUndefined();
      await closeMessages(storage, one, [first?.id ?? ""]);
    }
    expect(await countOpen(storage, key)).toBe(1);
  });

  test("beyond the bound nothing is kept, and what is known counts as kept", async () => {
    await using storage = await open();
    const three = ["a", "b", "c"].map((id) => message(id));
    expect((await keepMessages(storage, key, three, 2)).added.size).toBe(2);
    expect(await keepMessages(storage, key, three, 2)).toEqual({
      known: new Set(["a", "b"]),
      added: new Set(),
    });
    const waiting = await messagesAt(storage, key, "waiting", 10);
    await closeMessages(storage, key, [waiting[0]?.id ?? ""]);
    expect((await keepMessages(storage, key, three, 2)).added).toEqual(new Set([three[2]?.id ?? ""]));
  });

  test("thousands at once are kept in order", async () => {
    await using storage = await open();
    const many = Array.from({ length: 1_200 }, (_, number) => message(`m${number}`));
    expect((await keepMessages(storage, key, many, 10_000)).added.size).toBe(1_200);
    const ids = (await messagesAt(storage, key, "waiting", 10_000)).map(({ id }) => id);
    expect(ids).toEqual(many.map(({ id }) => id));
  });

  test("a step is taken by one alone", async () => {
    await using storage = await open();
    const only = message("a");
    await keepMessages(storage, key, [only], 10);
    const step = { from: "waiting", to: "running" } as const;
    const taken = await Promise.all(
      Array.from({ length: 10 }, () => moveMessage(storage, key, only.id, step)),
    );
    const [row, ...others] = taken.filter((one) => one !== undefined);
    expect(others).toEqual([]);
    expect(row).toMatchObject({ messageId: "a", text: "hi", contactName: "Ana", sentAt: at });
  });

  test("old messages are forgotten in every state, and those of an account that the channel had before", async () => {
    await using storage = await open();
    const old = new Date(at.getTime() - 1000);
    const messages = [
      message("old open", { receivedAt: old }),
      message("old closed", { receivedAt: old }),
      message("closed"),
    ];
    await keepMessages(storage, key, messages, 10);
    await closeMessages(
      storage,
      key,
      messages.slice(1).map(({ id }) => id),
    );
    const before = { ...key, account: "PNID0" };
    await keepMessages(storage, before, [message("of before", { receivedAt: old })], 10);
    await keepMessages(storage, { ...key, tenant: "u" }, [message("theirs", { receivedAt: old })], 10);
    expect(await pruneMessages(storage, key, at)).toBe(3);
    expect([await countOpen(storage, before), await countOpen(storage, { ...key, tenant: "u" })]).toEqual([
      0, 1,
    ]);
    const known = await keepMessages(
      storage,
      key,
      messages.map((one) => ({ ...one, id: newId() })),
      10,
    );
    expect(known.known.size).toBe(1);
  });

  test("the worker forgets ids that are older than 30 days, and not younger ones", async () => {
    await using storage = await open();
    const clock = new FakeClock("2026-03-01T00:00:00.000Z");
    const dayMs = 24 * 3_600_000;
    const daysAgo = (days: number) => new Date(clock.now().getTime() - days * dayMs);
    const messages = [message("31", { receivedAt: daysAgo(31) }), message("29", { receivedAt: daysAgo(29) })];
    await keepMessages(storage, key, messages, 10);
    await closeMessages(
      storage,
      key,
      messages.map(({ id }) => id),
    );
    const staged = stageInbox(storage, clock);
    staged.inbox.begin();
    const isKnown = async (messageId: string) =>
      (await keepMessages(storage, key, [message(messageId)], 0)).known.size === 1;
    while (await isKnown("31")) await settle();
    expect(await isKnown("29")).toBe(true);
    await staged.end();
  });

  test("nothing is answered before the process serves, and everything is after that", async () => {
    await using storage = await open();
    const clock = new FakeClock();
    const staged = stageInbox(storage, clock);
    expect(await staged.inbox.accept([message("a"), message("a"), message("b")])).toBe(3);
    await clock.advance(60_000);
    expect(staged.handled).toEqual([]);
    staged.inbox.begin();
    while (staged.handled.length < 2) await clock.advance(1000);
    await staged.inbox.accept([message("c")]);
    while (staged.handled.length < 3) await clock.advance(1000);
    await staged.inbox.retire();
    expect(await staged.inbox.accept([message("d")])).toBe(1);
    await staged.end();
    expect(await countOpen(storage, key)).toBe(1);
  });

  test.skipIf(engine.dialect === "sqlite")(
    "of two processes on one database one answers, also what the other took in; when it ends the other takes over",
    async () => {
      await using storage = await open();
      const clock = new FakeClock();
      const first = stageInbox(storage, clock);
      const second = stageInbox(storage, clock);
      first.inbox.begin();
      second.inbox.begin();
      await first.inbox.accept(["a", "b"].map((id) => message(id)));
      await second.inbox.accept(["c", "d"].map((id) => message(id)));
      while ((await countOpen(storage, key)) > 0) await clock.advance(1000);
      const [answering, other] = first.handled.length > 0 ? [first, second] : [second, first];
      expect(answering.handled).toHaveLength(4);
      expect(other.handled).toEqual([]);
      await answering.end();
      await answering.inbox.accept([message("e")]);
      while (other.handled.length < 1) await clock.advance(1000);
      await other.end();
    },
  );
});
