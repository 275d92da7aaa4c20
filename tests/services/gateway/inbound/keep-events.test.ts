import { expect, test } from "bun:test";
import { newId } from "../../../../src/kit/id.ts";
import { inboundRow } from "../../../../src/services/gateway/inbound/event-row.ts";
import { keepEvents } from "../../../../src/services/gateway/inbound/keep-events.ts";
import { type GatewayStorage, tables } from "../../../../src/services/gateway/tables.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const now = new Date("2026-03-10T12:00:00.000Z");
const account = { id: "phone", tenantId: "a", channel: "phone_messenger" as const };

/** Rows of a delivery with these keys; ids are new for each delivery. */
const delivered = (keys: readonly string[]) =>
  keys.map((key) =>
    inboundRow(
      {
        type: "status",
        account: "phone",
        dedupeKey: key,
        messageId: key,
        status: "sent",
        token: undefined,
        recipient: undefined,
        at: now,
      } as never,
      account,
      "hmac-sha256",
      { now, newId },
    ),
  );

const countRows = async ({ read, tables: { inbound } }: GatewayStorage) =>
  (await read.select({ id: inbound.id }).from(inbound)).length;

onEachEngine("deliveries at the same time", (engine) => {
  test("of the same events store each once, and all count as stored", async () => {
    await using storage = await engine.open({ service: "gateway", tables });
    const keys = ["1", "2", "3", "4"];
    const all = await Promise.all(
      Array.from({ length: 12 }, () => keepEvents(storage, delivered(keys), { openMax: 10_000 })),
    );
    for (const { added, known } of all) expect(added.size + known.size).toBe(4);
    expect(all.reduce((sum, { added }) => sum + added.size, 0)).toBe(4);
    expect(await countRows(storage)).toBe(4);
  });

  test("can't exceed an account's share of the queue", async () => {
    await using storage = await engine.open({ service: "gateway", tables });
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, one) => keepEvents(storage, delivered([`${one}`]), { openMax: 8 })),
    );
    expect(all.filter(({ added }) => added.size === 1)).toHaveLength(6);
    expect(await countRows(storage)).toBe(6);
  });
});
