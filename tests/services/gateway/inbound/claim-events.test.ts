import { expect, test } from "bun:test";
import { claimEvents } from "../../../../src/channels/inbox/claim-events.ts";
import { inboundRow } from "../../../../src/channels/inbox/event-row.ts";
import { keepEvents } from "../../../../src/channels/inbox/keep-events.ts";
import { KnownOwners } from "../../../../src/kit/concurrency/known-owners.ts";
import { newId } from "../../../../src/kit/id.ts";
import { InboundRoom } from "../../../../src/services/gateway/inbound/inbound-room.ts";
import { type GatewayStorage, tables } from "../../../../src/services/gateway/tables.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const now = new Date("2026-03-10T12:00:00.000Z");
const account = { id: "phone", tenantId: "a", channel: "phone_messenger" as const };

/** Stores messages of a customer; `ago` is the provider's time, in seconds before now. */
async function arrive(storage: GatewayStorage, messages: { key: string; customer: string; ago: number }[]) {
  const room = new InboundRoom(storage, 1000, new KnownOwners());
  const rows = messages.map(({ key, customer, ago }) => {
    const event = {
      type: "message",
      dedupeKey: key,
      conversation: { key: customer },
      sentAt: new Date(now.getTime() - ago * 1000),
    };
    return inboundRow(event as never, account, { proof: "hmac-sha256", now }, newId);
  });
  await keepEvents(storage, rows, room);
}

/** Claims all due events, and returns their keys. */
async function claimed(storage: GatewayStorage, busy: string[] = []): Promise<string[]> {
  const claim = { owner: "o", attemptId: newId(), now, limit: 10, leaseMs: 45_000, busy };
  return (await claimEvents(storage, claim)).map(({ dedupeKey }) => dedupeKey.replace("message:", "")).sort();
}

onEachEngine("claimed events", (engine) => {
  const open = () => engine.open({ service: "gateway", tables });

  test("are the first of each conversation by the provider's time", async () => {
    await using storage = await open();
    await arrive(storage, [
      { key: "second", customer: "ana", ago: 10 },
      { key: "first", customer: "ana", ago: 20 },
      { key: "other", customer: "bob", ago: 5 },
    ]);
    expect(await claimed(storage)).toEqual(["first", "other"]);
    expect(await claimed(storage)).toEqual([]);
  });

  test("of a conversation with one in work wait, even an earlier one that came late", async () => {
    await using storage = await open();
    await arrive(storage, [{ key: "in work", customer: "ana", ago: 10 }]);
    expect(await claimed(storage)).toEqual(["in work"]);
    await arrive(storage, [
      { key: "late", customer: "ana", ago: 20 },
      { key: "other", customer: "bob", ago: 5 },
    ]);
    expect(await claimed(storage)).toEqual(["other"]);
  });

  test("leave those of a busy tenant", async () => {
    await using storage = await open();
    await arrive(storage, [{ key: "one", customer: "ana", ago: 10 }]);
    expect(await claimed(storage, ["a"])).toEqual([]);
    expect(await claimed(storage, ["b"])).toEqual(["one"]);
  });
});
