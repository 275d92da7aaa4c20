import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { inboundRow, type KeptEvent } from "../../../../src/channels/inbox/event-row.ts";
import { keepEvents } from "../../../../src/channels/inbox/keep-events.ts";
import { claimMessages } from "../../../../src/channels/outbox/claim-messages.ts";
import { enqueueMessage } from "../../../../src/channels/outbox/enqueue-message.ts";
import { OutboxBell } from "../../../../src/channels/outbox/outbox-bell.ts";
import { step } from "../../../../src/channels/outbox/outbox-step.ts";
import { recordReceipt } from "../../../../src/channels/outbox/record-receipt.ts";
import {
  findMessage,
  moveRecipient,
  settleMessages,
  stateOf,
} from "../../../../src/channels/outbox/settle-messages.ts";
import { awaitReceipts, sweepOutbox } from "../../../../src/channels/outbox/sweep-outbox.ts";
import type { MessageSource } from "../../../../src/contracts/gateway/admin.ts";
import { KnownOwners } from "../../../../src/kit/concurrency/known-owners.ts";
import { newId } from "../../../../src/kit/id.ts";
import { createAddressFollower } from "../../../../src/services/gateway/contacts/follow-addresses.ts";
import { EventFeed } from "../../../../src/services/gateway/events/event-feed.ts";
import { InboundRoom } from "../../../../src/services/gateway/inbound/inbound-room.ts";
import { retryMessage } from "../../../../src/services/gateway/messages/retry-message.ts";
import { createOutboxLedger } from "../../../../src/services/gateway/outbox/outbox-ledger.ts";
import { OutboxRoom } from "../../../../src/services/gateway/outbox/outbox-room.ts";
import { StorageRoom } from "../../../../src/services/gateway/room/storage-room.ts";
import type { GatewayStorage } from "../../../../src/services/gateway/tables.ts";
import { tables } from "../../../../src/services/gateway/tables.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { scriptedSender } from "../../../support/gateway.ts";
import { recordingLogger } from "../../../support/recording-logger.ts";
import { onEachEngine, type TestEngine } from "../../../support/storage-engines.ts";

const startedAt = "2026-03-10T12:00:00.000Z";

async function openOutbox(engine: TestEngine) {
  const storage = await engine.open({ service: "gateway", tables });
  const clock = new FakeClock(startedAt);
  const sender = scriptedSender();
  const { log } = recordingLogger();
  const now = () => clock.now();
  const owner = newId();
  const ledger = createOutboxLedger(
    storage.tables,
    newId,
    createAddressFollower(storage.tables, newId, clock),
  );
  await addAccount(storage, "phone");
  return {
    storage,
    ledger,
    clock,
    sender,
    log,
    now,
    add: (recipient: string, source: MessageSource = "api", accountId = "phone") =>
      addMessage(storage, { recipient, source, accountId }, now()),
    claim: (limit = 100, leaseMs = 45_000) =>
      claimMessages({ storage, ledger }, { owner, attemptId: newId(), now: now(), limit, leaseMs, busy: [] }),
    sweep: () => sweepOutbox({ storage, sender, clock, ledger, log, owner }),
    sweepAfterRestart: () => sweepOutbox({ storage, sender, clock, ledger, log, owner: newId() }),
    receipt: (token: string, status: string, code?: string) =>
      recordReceipt(
        { storage, sender, clock, ledger, random: () => 0.5, bell: new OutboxBell(clock) },
        "phone",
        { token, status, code },
      ),
    trailOf: (id: string) => {
      const { trail } = storage.tables;
      return storage.read.select().from(trail).where(eq(trail.messageId, id)).orderBy(trail.id);
    },
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  };
}

async function addAccount(storage: GatewayStorage, id: string): Promise<void> {
  await storage.transact((tx) =>
    tx.insert(storage.tables.accounts).values({
      id,
      tenantId: "a",
      channel: "phone_messenger",
      externalId: id,
      credentials: "sealed",
      masked: {},
      emulated: false,
      pausedReason: null,
      quietUntil: null,
      createdAt: new Date(startedAt),
    }),
  );
}

async function addMessage(
  storage: GatewayStorage,
  { recipient, source, accountId }: { recipient: string; source: MessageSource; accountId: string },
  now: Date,
): Promise<string> {
  const id = newId();
  const message = {
    id,
    tenantId: "a",
    channel: "phone_messenger" as const,
    accountId,
    recipient,
    conversationId: null,
    source,
    payload: { text: "Hello" },
  };
  await storage.transact((tx) => enqueueMessage(tx, storage.tables, message, now));
  return id;
}

type Claimed = Awaited<ReturnType<typeof claimMessages>>[number];
const ids = (claimed: readonly Claimed[]) => claimed.map(({ row }) => row.id);

onEachEngine("the outbox", (engine) => {
  test("gives each due message to one claim, with its account", async () => {
    await using outbox = await openOutbox(engine);
    const made = [await outbox.add("1"), await outbox.add("2"), await outbox.add("3")];
    const claims = await Promise.all([outbox.claim(2), outbox.claim(2), outbox.claim(2)]);
    expect(claims.flatMap(ids).sort()).toEqual(made);
    expect(claims.flat()[0]?.account.id).toBe("phone");
    expect(await outbox.claim()).toEqual([]);
  });

  test("sends the messages to one recipient in order, those to others beside them", async () => {
    await using outbox = await openOutbox(engine);
    const first = await outbox.add("1");
    const second = await outbox.add("1");
    const other = await outbox.add("2");
    const [head, beside] = await outbox.claim();
    expect([head?.row.id, beside?.row.id]).toEqual([first, other]);
    expect(await outbox.claim()).toEqual([]);
    await settle(outbox, head as Claimed, { action: "sent" });
    expect(ids(await outbox.claim())).toEqual([second]);
  });

  test("lets a reply pass a message that has failed for 15 minutes, but not one of another source", async () => {
    await using outbox = await openOutbox(engine);
    const first = await outbox.add("1");
    const reply = await outbox.add("1", "agent_reply");
    const notice = await outbox.add("2");
    const behind = await outbox.add("2", "api");
    for (const one of await outbox.claim()) {
      await settle(outbox, one, { action: "retry", code: "2", waitMs: 3_600_000, isAccountWide: false });
    }
    await outbox.clock.advance(15 * 60_000 - 1);
    expect(await outbox.claim()).toEqual([]);
    await outbox.clock.advance(1);
    await outbox.sweep();
    expect(ids(await outbox.claim())).toEqual([reply]);
    await outbox.clock.advance(45 * 60_000);
    expect(ids(await outbox.claim())).toEqual([first, notice].sort());
    expect((await findMessage(outbox.storage, behind))?.status).toBe("pending");
  });

  test("ignores the result of a process whose lease expired", async () => {
    await using outbox = await openOutbox(engine);
    const id = await outbox.add("1");
    const [late] = await outbox.claim(1, 0);
    expect(await outbox.sweep()).toBe(1);
    expect(await findMessage(outbox.storage, id)).toMatchObject({
      status: "pending",
      unknowns: 1,
      isUnsettled: true,
      attempts: 0,
      lastError: "interrupted",
    });
    expect(await settle(outbox, late as Claimed, { action: "sent" })).toEqual([]);
    await outbox.clock.advance(60_000);
    const [again] = await outbox.claim();
    expect(again?.row.id).toBe(id);
    expect(await settle(outbox, late as Claimed, { action: "final", code: "100" })).toEqual([]);
    expect(await settle(outbox, again as Claimed, { action: "sent" })).toEqual([id]);
    expect(await outbox.sweep()).toBe(0);
  });

  test("on SQLite a process takes what another one was sending as soon as it starts, as that one is dead", async () => {
    await using outbox = await openOutbox(engine);
    await outbox.add("1");
    // SQLite's leases end by the storage's clock, which is not the test's.
    await outbox.claim(1, 10 * 365 * 86_400_000);
    expect(await outbox.sweep()).toBe(0);
    expect(await outbox.sweepAfterRestart()).toBe(engine.dialect === "sqlite" ? 1 : 0);
  });

  test("settles an unknown outcome by a receipt instead of another try", async () => {
    await using outbox = await openOutbox(engine);
    const id = await outbox.add("1");
    const [one] = await outbox.claim();
    await settle(outbox, one as Claimed, { action: "unknown", code: "send_timed_out" });
    expect(await outbox.receipt(id, "sent")).toBe(id);
    await outbox.clock.advance(60_000);
    expect(await outbox.claim()).toEqual([]);
    expect(await findMessage(outbox.storage, id)).toMatchObject({
      status: "sent",
      deliveryStatus: "sent",
      lane: null,
    });
  });

  test("does not send again what a delivered receipt or echo may settle, before that is processed", async () => {
    await using outbox = await openOutbox(engine);
    const told = await outbox.add("1");
    const shown = await outbox.add("2");
    const silent = await outbox.add("3");
    for (const one of await outbox.claim())
      await settle(outbox, one, { action: "unknown", code: "send_timed_out" });
    const fresh = await outbox.add("4");
    const delivered = { account: "phone", messageId: "wamid.1", dedupeKey: "1" };
    await deliverEvents(outbox, [
      { ...delivered, type: "status", status: "sent", token: `${told}.1`, at: outbox.now() },
      {
        ...delivered,
        type: "echo",
        recipient: { kind: "phone", address: "2" },
        kind: "text",
        text: "Hello",
        media: [],
        sentAt: outbox.now(),
      },
    ]);
    await outbox.clock.advance(60_000);
    expect(ids(await outbox.claim())).toEqual([silent, fresh].sort());
    const { inbound } = outbox.storage.tables;
    await outbox.storage.transact((tx) =>
      tx.update(inbound).set({ state: "done", lane: null }).returning({ id: inbound.id }),
    );
    expect(ids(await outbox.claim())).toEqual([told, shown].sort());
  });

  test("begins the wait for a receipt again when a process starts", async () => {
    await using outbox = await openOutbox(engine);
    const id = await outbox.add("1");
    const [one] = await outbox.claim();
    await settle(outbox, one as Claimed, { action: "unknown", code: "send_timed_out" });
    await outbox.clock.advance(59_000);
    await awaitReceipts(outbox);
    await outbox.clock.advance(59_999);
    expect(await outbox.claim()).toEqual([]);
    await outbox.clock.advance(1);
    expect(ids(await outbox.claim())).toEqual([id]);
  });

  test("raises the delivery status for any order of receipts", async () => {
    await using outbox = await openOutbox(engine);
    const id = await outbox.add("1");
    for (const status of ["read", "failed", "sent", "delivered", "read"])
      await outbox.receipt(id, status, "131026");
    expect(await findMessage(outbox.storage, id)).toMatchObject({ status: "sent", deliveryStatus: "read" });
    expect(await outbox.receipt("unknown", "read")).toBeUndefined();
  });

  test("keeps a failed delivery until the message arrives after all, for each two receipts", async () => {
    await using outbox = await openOutbox(engine);
    const rising = ["sent", "failed", "delivered", "read", "played"];
    const pairs = rising.flatMap((first) => rising.map((second) => [first, second] as const));
    const made = new Map<string, string>();
    for (const pair of pairs) made.set(await outbox.add(pair.join(" ")), pair.join(" "));
    for (const one of await outbox.claim()) await settle(outbox, one, { action: "sent" });
    const found: Record<string, unknown> = {};
    for (const [id, pair] of made) {
      for (const status of pair.split(" ")) {
        await outbox.receipt(id, status, status === "failed" ? "131026" : undefined);
      }
      const row = await findMessage(outbox.storage, id);
      const told = (await outbox.trailOf(id)).map(({ event, details }) => [event, details.error]);
      found[pair] = [row?.status, row?.deliveryStatus, row?.lastError, told];
    }
    const eventOf = (status: string) => [status, status === "failed" ? "131026" : undefined];
    const expected = pairs.map(([first, second]) => {
      const [low, high] = [rising.indexOf(first), rising.indexOf(second)];
      const last = high > low ? second : first;
      const told = [first, ...(high > low ? [second] : [])].filter((status) => status !== "sent");
      return [
        `${first} ${second}`,
        ["sent", last, last === "failed" ? "131026" : null, told.map(eventOf)],
      ] as const;
    });
    expect(found).toEqual(Object.fromEntries(expected));
  });

  test("a failure that leads to another try does not count as a failed delivery", async () => {
    await using outbox = await openOutbox(engine);
    const id = await outbox.add("1");
    const [one] = await outbox.claim();
    await settle(outbox, one as Claimed, { action: "unknown", code: "send_timed_out" });
    outbox.sender.resultOfCode = (_channel, code) => ({ action: "retry", code, isAccountWide: false });
    await outbox.receipt(id, "failed", "131016");
    expect(await findMessage(outbox.storage, id)).toMatchObject({
      status: "pending",
      deliveryStatus: null,
      lastError: "131016",
    });
    expect(await outbox.trailOf(id)).toMatchObject([
      { event: "attempt", details: { outcome: "retry", call: 1, error: "131016" } },
    ]);
    await outbox.clock.advance(60_000);
    const [again] = await outbox.claim();
    await settle(outbox, again as Claimed, { action: "sent" });
    await outbox.receipt(id, "sent");
    expect(await findMessage(outbox.storage, id)).toMatchObject({ status: "sent", deliveryStatus: "sent" });
  });

  test("an operator's retry forgets the failed delivery", async () => {
    await using outbox = await openOutbox(engine);
    const id = await outbox.add("1");
    const [one] = await outbox.claim();
    await settle(outbox, one as Claimed, { action: "unknown", code: "send_timed_out" });
    await outbox.receipt(id, "failed", "131026");
    const row = await findMessage(outbox.storage, id);
    expect(row).toMatchObject({ status: "failed", deliveryStatus: "failed", lastError: "131026" });
    expect((await outbox.trailOf(id)).map(({ event }) => event)).toEqual(["failed"]);
    const { storage, ledger, clock } = outbox;
    const room = new OutboxRoom(clock, 100);
    const storageRoom = new StorageRoom(storage, clock, 1e9);
    const feed = new EventFeed(clock);
    const ports = { storage, ledger, clock, newId, room, storageRoom, feed, bell: new OutboxBell(clock) };
    expect(await retryMessage(ports, { tenantId: undefined }, id)).toMatchObject({
      status: "pending",
      delivery_status: null,
    });
    expect(await findMessage(storage, id)).toMatchObject({ status: "pending", deliveryStatus: null });
  });

  test("notes in the trail why a message failed, once, for every cause", async () => {
    await using outbox = await openOutbox(engine);
    const [tried, refused, unclear, died, old, orphan] = [
      await outbox.add("1"),
      await outbox.add("2"),
      await outbox.add("3"),
      await outbox.add("4"),
      await outbox.add("5"),
      await outbox.add("6", "api", "deleted"),
    ];
    const claimed = new Map((await outbox.claim(100, 0)).map((one) => [one.row.id, one]));
    const failing = async (id: string, result: Result, change: Partial<Claimed["row"]> = {}) => {
      const { row, account } = claimed.get(id) as Claimed;
      await settle(outbox, { account, row: { ...row, ...change } }, result, false);
    };
    await failing(tried, { action: "retry", code: "2", isAccountWide: false }, { attempts: 9 });
    await failing(refused, { action: "final", code: "131047" });
    await failing(unclear, { action: "unknown", code: "send_timed_out" }, { unknowns: 1 });
    await failing(old, { action: "retry", code: "2", waitMs: 90_000_000, isAccountWide: false });
    outbox.sender.receipts.clear();
    const { outbox: table } = outbox.storage.tables;
    await outbox.storage.transact((tx) =>
      tx.update(table).set({ unknowns: 1 }).where(eq(table.id, died)).returning({ id: table.id }),
    );
    await outbox.clock.advance(24 * 60 * 60_000);
    await outbox.sweep();
    await outbox.sweep();
    const reasons = { [tried]: "2", [refused]: "131047", [unclear]: "outcome_unknown" };
    const swept = { [died]: "outcome_unknown", [old]: "expired", [orphan]: "account_deleted" };
    for (const [id, error] of Object.entries({ ...reasons, ...swept })) {
      expect(await findMessage(outbox.storage, id)).toMatchObject({ status: "failed", lastError: error });
      expect(await outbox.trailOf(id)).toMatchObject([
        { event: "failed", direction: "outbound", tenantId: "a", details: { error } },
      ]);
    }
  });

  test("moves what waits for a user to their new address, in order", async () => {
    await using outbox = await openOutbox(engine);
    const [sending, waiting, there] = [await outbox.add("1"), await outbox.add("1"), await outbox.add("2")];
    const forward = await outbox.add("1", "inbound_forward");
    const other = await outbox.add("3");
    const claimed = await outbox.claim();
    expect(ids(claimed)).toEqual([sending, there, forward, other]);
    const move = { tenantId: "a", accountId: "phone", from: "1", to: "2" };
    await outbox.storage.transact((tx) => moveRecipient(tx, outbox, move));
    const addressOf = async (id: string) => (await findMessage(outbox.storage, id))?.recipient;
    expect(await Promise.all([sending, waiting, there, forward, other].map(addressOf))).toEqual([
      "2",
      "2",
      "2",
      "1",
      "3",
    ]);
    const settleOne = (id: string, result: Result) =>
      settle(outbox, claimed.find(({ row }) => row.id === id) as Claimed, result);
    await settleOne(there, { action: "sent" });
    await settleOne(sending, { action: "retry", code: "2", isAccountWide: false });
    expect(await findMessage(outbox.storage, sending)).toMatchObject({ recipient: "2", lane: "phone:2" });
    expect(await outbox.claim()).toEqual([]);
    await outbox.clock.advance(2_000);
    const [again] = await outbox.claim();
    expect(again?.row).toMatchObject({ id: sending, recipient: "2" });
    await settle(outbox, again as Claimed, { action: "sent" });
    const [last] = await outbox.claim();
    expect(last?.row).toMatchObject({ id: waiting, recipient: "2" });
  });

  test("what waits behind a message that is sent while its user moves goes next", async () => {
    await using outbox = await openOutbox(engine);
    await outbox.add("1");
    const waiting = await outbox.add("1");
    const [head] = await outbox.claim();
    const move = { tenantId: "a", accountId: "phone", from: "1", to: "2" };
    await outbox.storage.transact((tx) => moveRecipient(tx, outbox, move));
    expect(await outbox.claim()).toEqual([]);
    await settle(outbox, head as Claimed, { action: "sent" });
    expect(ids(await outbox.claim())).toEqual([waiting]);
  });

  test("a paused account keeps its messages until it is resumed, and other accounts continue", async () => {
    await using outbox = await openOutbox(engine);
    await addAccount(outbox.storage, "other");
    const first = await outbox.add("1");
    const [one] = await outbox.claim();
    await settle(outbox, one as Claimed, { action: "pause", code: "190" });
    const second = await outbox.add("2");
    const beside = await outbox.add("2", "api", "other");
    expect(ids(await outbox.claim())).toEqual([beside]);
    const { accounts } = outbox.storage.tables;
    await outbox.storage.transact((tx) =>
      tx.update(accounts).set({ pausedReason: null }).returning({ id: accounts.id }),
    );
    expect(ids(await outbox.claim())).toEqual([first, second].sort());
  });

  test("an account's wait holds all its messages", async () => {
    await using outbox = await openOutbox(engine);
    await outbox.add("1");
    const [one] = await outbox.claim();
    await settle(outbox, one as Claimed, {
      action: "retry",
      code: "429",
      waitMs: 30_000,
      isAccountWide: true,
    });
    await outbox.add("2");
    await outbox.clock.advance(29_999);
    expect(await outbox.claim()).toEqual([]);
    await outbox.clock.advance(1);
    expect(await outbox.claim()).toHaveLength(2);
  });

  test("fails what is older than a day, and what has no account", async () => {
    await using outbox = await openOutbox(engine);
    const old = await outbox.add("1");
    await outbox.clock.advance(24 * 60 * 60_000);
    const orphan = await outbox.add("1", "api", "deleted");
    const fresh = await outbox.add("2");
    expect(await outbox.sweep()).toBe(1);
    expect(await findMessage(outbox.storage, old)).toMatchObject({ status: "failed", lastError: "expired" });
    expect(ids(await outbox.claim())).toEqual([fresh]);
    expect(await findMessage(outbox.storage, orphan)).toMatchObject({
      status: "failed",
      lastError: "account_deleted",
    });
  });
});

/** Stores events as a delivery does, without processing them. */
async function deliverEvents({ storage, now }: Outbox, events: readonly KeptEvent[]): Promise<void> {
  const account = { id: "phone", tenantId: "a", channel: "phone_messenger" as const };
  const rows = events.map((event) => inboundRow(event, account, { proof: "hmac-sha256", now: now() }, newId));
  await keepEvents(storage, rows, new InboundRoom(storage, 100, new KnownOwners()));
}

type Outbox = Awaited<ReturnType<typeof openOutbox>>;
type Result = Awaited<ReturnType<Outbox["sender"]["send"]>>["result"];

function settle(
  { storage, ledger, now }: Outbox,
  { row }: Claimed,
  result: Result,
  hasReceipts = true,
): Promise<string[]> {
  const input = { type: "result", result, hasReceipts, spread: 0.5 } as const;
  return settleMessages({ storage, ledger }, [{ row, transition: step(stateOf(row), input, now()) }], now());
}
