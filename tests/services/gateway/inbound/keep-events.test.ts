import { expect, test } from "bun:test";
import { inArray } from "drizzle-orm";
import { inboundRow } from "../../../../src/channels/inbox/event-row.ts";
import { keepEvents } from "../../../../src/channels/inbox/keep-events.ts";
import { KnownOwners } from "../../../../src/kit/concurrency/known-owners.ts";
import { newId } from "../../../../src/kit/id.ts";
import { InboundRoom } from "../../../../src/services/gateway/inbound/inbound-room.ts";
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
      { proof: "hmac-sha256", now },
      newId,
    ),
  );

/** Adds accounts by their tenants. */
const addAccounts = (storage: GatewayStorage, tenants: Record<string, string>) =>
  storage.transact((tx) =>
    tx
      .insert(storage.tables.accounts)
      .values(
        Object.entries(tenants).map(([id, tenantId]) => ({
          id,
          tenantId,
          channel: "phone_messenger" as const,
          externalId: id,
          credentials: "",
          masked: {},
          emulated: false,
          pausedReason: null,
          quietUntil: null,
          createdAt: now,
        })),
      )
      .returning({ id: storage.tables.accounts.id }),
  );

const countRows = async ({ read, tables: { inbound } }: GatewayStorage) =>
  (await read.select({ id: inbound.id }).from(inbound)).length;

onEachEngine("deliveries at the same time", (engine) => {
  test("of the same events store each once, and all count as stored", async () => {
    await using storage = await engine.open({ service: "gateway", tables });
    const room = new InboundRoom(storage, 10_000, new KnownOwners());
    const keys = ["1", "2", "3", "4"];
    const all = await Promise.all(
      Array.from({ length: 12 }, () => keepEvents(storage, delivered(keys), room)),
    );
    for (const { added, known } of all) expect(added.size + known.size).toBe(4);
    expect(all.reduce((sum, { added }) => sum + added.size, 0)).toBe(4);
    expect(await countRows(storage)).toBe(4);
  });

  test("can't exceed an owner's share of the queue", async () => {
    await using storage = await engine.open({ service: "gateway", tables });
    await addAccounts(storage, { phone: "a" });
    const room = new InboundRoom(storage, 8, new KnownOwners());
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, one) => keepEvents(storage, delivered([`${one}`]), room)),
    );
    expect(all.filter(({ added }) => added.size === 1)).toHaveLength(6);
    expect(await countRows(storage)).toBe(6);
  });

  test("get the room again that closed events leave", async () => {
    await using storage = await engine.open({ service: "gateway", tables });
    await addAccounts(storage, { phone: "a" });
    const room = new InboundRoom(storage, 8, new KnownOwners());
    const admitted = async (keys: readonly string[]) =>
      (await keepEvents(storage, delivered(keys), room)).added.size;
    expect(await admitted(["1", "2", "3", "4", "5"])).toBe(5);
    const { inbound } = storage.tables;
    await storage.transact((tx) =>
      tx
        .update(inbound)
        .set({ state: "done" })
        .where(inArray(inbound.dedupeKey, ["status:1", "status:2"]))
        .returning({ id: inbound.id }),
    );
    expect(await admitted(["6", "7", "8", "9"])).toBe(3);
    expect(await admitted(["10"])).toBe(0);
  });

  test("of one person with three tenants and six accounts leave room for another person", async () => {
    await using storage = await engine.open({ service: "gateway", tables });
    const greedy = Object.fromEntries(Array.from({ length: 6 }, (_, one) => [`g${one}`, `greedy${one % 3}`]));
    await addAccounts(storage, { ...greedy, m: "modest" });
    const owners = new KnownOwners();
    for (const tenant of Object.values(greedy)) owners.told(tenant, "one person");
    const room = new InboundRoom(storage, 16, owners);
    const admitted = async (accountId: string, tenantId: string, keys: readonly string[]) => {
      const rows = delivered(keys).map((row) => ({ ...row, accountId, tenantId }));
      return (await keepEvents(storage, rows, room)).added.size;
    };
    let ofGreedy = 0;
    for (const [account, tenant] of Object.entries(greedy)) {
      ofGreedy += await admitted(account, tenant, ["1", "2", "3", "4", "5"]);
    }
    expect(ofGreedy).toBe(12);
    expect(await admitted("m", "modest", ["1", "2"])).toBe(2);
    expect(await admitted("g0", "greedy0", ["9"])).toBe(0);
  });
});
