import { expect, test } from "bun:test";
import { eq, getTableColumns, getTableName, sql, type Table } from "drizzle-orm";
import { countedTables } from "../../../scripts/counted-bytes-triggers.ts";
import { makeRoom, nearlyFull } from "../../../src/services/gateway/room/make-room.ts";
import { foldParts, storedAreas } from "../../../src/storage/room.ts";
import {
  asA,
  asAdmin,
  asB,
  asSender,
  deliver,
  processAll,
  startGateway,
  type TestGateway,
} from "../../support/gateway.ts";
import { onEachEngine, sqliteEngine } from "../../support/storage-engines.ts";

/** The bytes of a tenant's rows without triggers. */
async function countedBytes({ deps: { storage } }: TestGateway, tenantId: string): Promise<number> {
  const tables = Object.values(storage.tables) as unknown as Table[];
  let sum = 0;
  for (const { table, owner, columns } of countedTables(tables)) {
    const found = tables.find((one) => getTableName(one) === table) as Table;
    const byName = new Map(Object.values(getTableColumns(found)).map((column) => [column.name, column]));
    const bytes = columns
      .map((name) => sql`coalesce(octet_length(cast(${byName.get(name)} as text)), 0)`)
      .reduce((all, one) => sql`${all} + ${one}`, sql`96`);
    const [row] = (await storage.read
      .select({ bytes: sql<number>`coalesce(sum(${bytes}), 0)`.mapWith(Number) })
      .from(found as never)
      .where(sql`${byName.get(owner)} = ${tenantId}`)) as { bytes: number }[];
    sum += row?.bytes ?? 0;
  }
  return sum;
}

async function ownBytes({ deps: { storage } }: TestGateway, tenantId: string): Promise<number> {
  const areas = await storedAreas(storage, tenantId);
  return areas.reduce((sum, { area, bytes }) => sum + (area === "elsewhere" ? 0 : bytes), 0);
}

/** Tells the gateway a limit as the platform does; the figures that it kept in memory are old then. */
async function tell(gateway: TestGateway, limit_bytes: number | null, elsewhere_bytes = 0) {
  const body = { tenants: [{ tenant_id: "a", limit_bytes, elsewhere_bytes }] };
  const told = await gateway.call("PUT", "/api/v1/storage/limits", { headers: asSender, body });
  await gateway.clock.advance(1_000);
  return told;
}

const send = (gateway: TestGateway, headers = asA) =>
  gateway.call("POST", "/api/v1/messages/send", {
    headers,
    body: { channel: "phone_messenger", recipient: "34600000000", text: "hi" },
  });

const phone = (id: string, text: string, at: Date) => ({
  object: "whatsapp_business_account",
  entry: [
    {
      id: "w",
      changes: [
        {
          field: "messages",
          value: {
            messaging_product: "whatsapp",
            metadata: { phone_number_id: "1" },
            messages: [
              {
                from: "34600000001",
                id,
                timestamp: String(Math.floor(at.getTime() / 1000)),
                type: "text",
                text: { body: text },
              },
            ],
          },
        },
      ],
    },
  ],
});

const receive = (gateway: TestGateway, id: string, text = "hello") =>
  deliver(gateway, "phone_messenger", phone(id, text, gateway.clock.now()));

const inboundCount = ({ deps: { storage } }: TestGateway) => storage.read.$count(storage.tables.inbound);

onEachEngine("what the gateway stores for a tenant", (engine) => {
  test("counts every write, change and deletion, and the platform gets the count", async () => {
    await using gateway = await startGateway(engine);
    await gateway.account("a", "phone_messenger", "1");
    await receive(gateway, "m1");
    expect((await send(gateway)).status).toBe(202);
    await processAll(gateway);
    expect(await ownBytes(gateway, "a")).toBe(await countedBytes(gateway, "a"));
    const { storage } = gateway.deps;
    await storage.transact(
      async (tx) =>
        void (await tx.delete(storage.tables.trail).where(eq(storage.tables.trail.tenantId, "a"))),
    );
    const own = await ownBytes(gateway, "a");
    expect(own).toBe(await countedBytes(gateway, "a"));
    const told = await tell(gateway, 1_000_000, 5_000);
    expect(told.status).toBe(200);
    const stored = told.body.stored as { owner_id: string; area: string; bytes: number }[];
    expect(stored.map(({ area }) => area)).not.toContain("elsewhere");
    expect(stored.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(own);
    await foldParts(storage);
    expect(await ownBytes(gateway, "a")).toBe(own);
    const stats = await gateway.call("GET", "/admin/stats?tenant=a&storage=true", { headers: asAdmin });
    expect(stats.body.storage).toMatchObject({ stored_bytes: own + 5_000, limit_bytes: 1_000_000 });
  });

  test("beyond the plan is refused for sends with 409, a repeated key excepted; deliveries are 200 and kept while they have their share", async () => {
    await using gateway = await startGateway(engine);
    await gateway.account("a", "phone_messenger", "1");
    await gateway.account("b", "phone_messenger", "2");
    const headers = { ...asA, "idempotency-key": "one" };
    expect((await send(gateway, headers)).status).toBe(202);
    await tell(gateway, 1_000_000, 1_000_000);
    expect((await send(gateway, headers)).status).toBe(202);
    const refused = await send(gateway);
    expect(refused.status).toBe(409);
    expect(refused.body.error).toContain("lets 976.6 KiB be stored");
    const onBehalf = { tenant_id: "a", channel: "phone_messenger", recipient: "34600000000", text: "x" };
    for (const [path, sender] of [
      ["/api/v1/messages/send-on-behalf", asSender],
      ["/admin/send", asAdmin],
    ] as const)
      expect((await gateway.call("POST", path, { headers: sender, body: onBehalf })).status).toBe(409);
    expect((await send(gateway, asB)).status).toBe(202);
    expect((await receive(gateway, "m1")).status).toBe(200);
    expect(await inboundCount(gateway)).toBe(1);
    // Its messages alone are more than their share.
    await tell(gateway, 1_000, 0);
    expect((await receive(gateway, "m2")).status).toBe(200);
    expect(await inboundCount(gateway)).toBe(1);
    await tell(gateway, null);
    expect((await receive(gateway, "m2")).status).toBe(200);
    expect(await inboundCount(gateway)).toBe(2);
    expect((await send(gateway)).status).toBe(202);
  });

  test("without a platform's word is bounded by the gateway's setting", async () => {
    await using gateway = await startGateway(engine);
    expect(await nearlyFull({ storage: gateway.deps.storage, storageBytes: 100 })).toEqual([]);
    await gateway.account("a", "phone_messenger", "1");
    const [full] = await nearlyFull({ storage: gateway.deps.storage, storageBytes: 100 });
    expect(full).toMatchObject({ tenantId: "a", limit: 100 });
  });

  test("nearly at the limit loses its oldest read messages first, and what is young enough to be repeated stays", async () => {
    await using gateway = await startGateway(engine);
    const { deps, clock } = gateway;
    const { conversations, conversationMessages: messages, inbound, trail } = deps.storage.tables;
    await gateway.account("a", "phone_messenger", "1");
    for (let index = 0; index < 6; index++) {
      await receive(gateway, `m${index}`, "x".repeat(3_000));
      await processAll(gateway);
      await clock.advance(60_000);
      if (index !== 2) continue;
      const [{ id } = { id: "" }] = await deps.storage.read
        .select({ id: conversations.id })
        .from(conversations);
      await gateway.call("POST", `/admin/conversations/${id}/seen`, { headers: asAdmin });
    }
    const before = await ownBytes(gateway, "a");
    // Its messages have their share, and all services together have room.
    await tell(gateway, before * 2);
    await makeRoom(deps);
    expect(await ownBytes(gateway, "a")).toBe(before);
    // The trail alone is too little.
    await tell(gateway, Math.floor(before * 0.87));
    await makeRoom(deps);
    const left = await deps.storage.read
      .select({ id: messages.channelMessageId })
      .from(messages)
      .orderBy(messages.at);
    expect(left.map(({ id }) => id)).toEqual(["m3", "m4", "m5"]);
    expect(await deps.storage.read.$count(trail)).toBe(0);
    expect(await deps.storage.read.$count(inbound)).toBe(6);
  });

  test("names the images of a message that there is no room for as unavailable", async () => {
    await using gateway = await startGateway(engine);
    const account = await gateway.account("a", "photo_social", "17841400000000000");
    const config = { platform_api_key: "ask-key" };
    const binding = { tenant_id: "a", account_id: account, entry_agent: "support", config };
    expect((await gateway.call("POST", "/admin/bindings", { headers: asAdmin, body: binding })).status).toBe(
      201,
    );
    await tell(gateway, 1_000_000, 1_000_000);
    const message = {
      mid: "m1",
      text: "look",
      attachments: [{ type: "image", payload: { url: "https://x.example/p" } }],
    };
    const entry = {
      id: "17841400000000000",
      messaging: [
        {
          sender: { id: "99" },
          recipient: { id: "17841400000000000" },
          timestamp: gateway.clock.now().getTime(),
          message,
        },
      ],
    };
    expect((await deliver(gateway, "photo_social", { object: "instagram", entry: [entry] })).status).toBe(
      200,
    );
    await processAll(gateway);
    const [run] = gateway.platform.runs;
    expect(run?.request.query).toBe("look\n[image, unavailable]");
    expect(run?.request.images).toBeUndefined();
    expect(run?.request.context?.media).toEqual([{ kind: "image", unavailable: true }]);
  });
});

test("every table with a tenant counts, except the limits themselves and sums", async () => {
  await using gateway = await startGateway(sqliteEngine);
  const tables = Object.values(gateway.deps.storage.tables) as unknown as Table[];
  const known = new Set(countedTables(tables).map(({ table }) => table));
  const missing = tables
    .filter((table) => Object.values(getTableColumns(table)).some(({ name }) => name === "tenant_id"))
    .map(getTableName)
    .filter((name) => !known.has(name));
  expect(missing.sort()).toEqual(["message_sums", "outbox_sums", "storage_limits"]);
});
