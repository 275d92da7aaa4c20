import { expect, test } from "bun:test";
import { inboundRow } from "../../../../src/channels/inbox/event-row.ts";
import { keepEvents } from "../../../../src/channels/inbox/keep-events.ts";
import { KnownOwners } from "../../../../src/kit/concurrency/known-owners.ts";
import { newId } from "../../../../src/kit/id.ts";
import { InboundRoom } from "../../../../src/services/gateway/inbound/inbound-room.ts";
import { tables } from "../../../../src/services/gateway/tables.ts";
import { noteDelivered } from "../../../../src/services/gateway/trail/note-inbound.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const clock = new FakeClock();
const account = { id: "phone", tenantId: "a", channel: "phone_messenger" as const };

const message = (key: string) =>
  inboundRow(
    {
      type: "message",
      account: "phone",
      dedupeKey: key,
      messageId: key,
      conversation: { key: "34", address: { kind: "phone", address: "34" } },
      sender: { kind: "phone", address: "34" },
      text: "hi",
      media: [],
    } as never,
    account,
    { proof: "hmac-sha256", now: clock.now() },
    newId,
  );

onEachEngine("repeated messages", (engine) => {
  test("are looked up, however many one delivery repeats", async () => {
    await using storage = await engine.open({ service: "gateway", tables });
    const rows = Array.from({ length: 300 }, (_, n) => message(`${n}`));
    await keepEvents(storage, rows, new InboundRoom(storage, 10_000, new KnownOwners()));
    // A statement of SQLite may have 32,766 parameters, one of PostgreSQL 65,535.
    const [row] = rows;
    const others = Array.from({ length: 70_000 }, (_, n) => ({ ...row, dedupeKey: `message:none-${n}` }));
    const noted = await noteDelivered(
      { storage, clock, newId },
      { repeated: [...rows, ...others] as typeof rows, closed: [] },
    );
    expect(noted.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    const entries = await storage.read.select({ id: storage.tables.trail.id }).from(storage.tables.trail);
    expect(entries).toHaveLength(300);
  });
});
