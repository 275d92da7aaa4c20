import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { GatewayDeps } from "../../../src/services/gateway/deps.ts";
import { OutboxRoom } from "../../../src/services/gateway/outbox/outbox-room.ts";
import {
  asA,
  asAdmin,
  asB,
  deliver,
  processAll,
  startGateway,
  type TestGateway,
} from "../../support/gateway.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

/** Eight messages of a tenant may wait, and six of an account. */
const small = (deps: GatewayDeps): GatewayDeps => ({ ...deps, room: new OutboxRoom(deps.clock, 8) });

const send = (gateway: TestGateway, account: string, headers = asA) =>
  gateway.call("POST", "/api/v1/messages/send", {
    headers,
    body: { channel: "phone_messenger", recipient: "34600000000", account_id: account, text: "hi" },
  });

/** Sends until a message is refused; how many were queued. */
async function sendUntilFull(gateway: TestGateway, account: string): Promise<number> {
  for (let queued = 0; ; queued++) if ((await send(gateway, account)).status !== 202) return queued;
}

/** Closes every waiting message of an account, as sending does. */
async function closeAll({ deps: { storage } }: TestGateway, account: string): Promise<void> {
  const { outbox } = storage.tables;
  await storage.transact(
    async (tx) =>
      void (await tx
        .update(outbox)
        .set({ lane: null, status: "sent" })
        .where(eq(outbox.accountId, account))
        .returning({ id: outbox.id })),
  );
}

onEachEngine("waiting messages", (engine) => {
  test("of an account and of a tenant are bounded: more are 503; other tenants send on", async () => {
    await using gateway = await startGateway(engine, small);
    const [first, second, third] = [
      await gateway.account("a", "phone_messenger", "1"),
      await gateway.account("a", "phone_messenger", "2"),
      await gateway.account("b", "phone_messenger", "3"),
    ];
    expect(await sendUntilFull(gateway, first)).toBe(6);
    const refused = await send(gateway, first);
    expect(refused.status).toBe(503);
    expect(refused.body.error).toContain(`Account ${first} has 6 messages that wait to be sent.`);
    expect(refused.headers.get("retry-after")).toBe("60");
    expect(await sendUntilFull(gateway, second)).toBe(2);
    expect((await send(gateway, second)).body.error).toContain("Tenant a has 8 messages");
    expect((await send(gateway, third, asB)).status).toBe(202);
    await closeAll(gateway, first);
    await gateway.clock.advance(1_000);
    expect(await sendUntilFull(gateway, second)).toBe(4);
  });

  test("keep further messages of users waiting, which are recorded and answered when there is room", async () => {
    await using gateway = await startGateway(engine, small);
    const account = await gateway.account("a", "echo", "e1");
    const binding = {
      tenant_id: "a",
      account_id: account,
      entry_agent: "support",
      config: { platform_api_key: "apk_test-key-0001" },
    };
    await gateway.call("POST", "/admin/bindings", { headers: asAdmin, body: binding });
    const write = async (id: string) => {
      await deliver(gateway, "echo", { from: `user${id}`, text: "hi", id }, { account: "e1", headers: {} });
      await processAll(gateway);
    };
    for (let n = 1; n <= 6; n++) await write(`${n}`);
    expect(gateway.platform.runs).toHaveLength(6);
    await gateway.clock.advance(1_000);
    await write("7");
    expect(gateway.platform.runs).toHaveLength(6);
    const listed = await gateway.call("GET", "/admin/conversations", { headers: asAdmin });
    expect(listed.body.total).toBe(7);
    await closeAll(gateway, account);
    await gateway.clock.advance(120_000);
    await processAll(gateway);
    expect(gateway.platform.runs).toHaveLength(7);
    const { read, tables } = gateway.deps.storage;
    const messages = await read.select().from(tables.conversationMessages);
    expect(messages.filter(({ direction }) => direction === "inbound")).toHaveLength(7);
  });
});

onEachEngine("accounts", (engine) => {
  test("of a tenant are bounded: another one is 409; those that exist can be refreshed", async () => {
    await using gateway = await startGateway(engine, (deps) => ({ ...deps, accountsMax: 2 }));
    const save = (id: string, tenant = "a") =>
      gateway.call("POST", "/admin/accounts", {
        headers: asAdmin,
        body: { tenant_id: tenant, channel: "echo", external_id: id },
      });
    expect((await save("1")).status).toBe(201);
    expect((await save("2")).status).toBe(201);
    const refused = await save("3");
    expect(refused.status).toBe(409);
    expect(refused.body.error).toBe(
      "Tenant a has 2 accounts. Delete one that is not used, or raise spec.gateway.accounts in runtime.yaml.",
    );
    expect((await save("2")).status).toBe(200);
    expect((await save("3", "b")).status).toBe(201);
  });
});
