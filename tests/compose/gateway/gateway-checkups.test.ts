import { expect, test } from "bun:test";
import { gatewayCheckups } from "../../../src/compose/gateway/gateway-checkups.ts";
import { asA, asAdmin, deliver, startGateway, type TestGateway } from "../../support/gateway.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

function look({ deps: { storage, clock, storageBytes } }: TestGateway, name: string) {
  const checkups = gatewayCheckups({ storage, clock, storageBytes, dataFolder: "/data" });
  const checkup = checkups.find((one) => one.name === name);
  if (checkup === undefined) throw new Error(`There is no check ${name}.`);
  return checkup.look(new AbortController().signal);
}

onEachEngine("doctor's checks of the gateway", (engine) => {
  test("fail when an event that could be processed waits for over a minute, and say what to do", async () => {
    await using gateway = await startGateway(engine);
    const account_id = await gateway.account("a", "echo", "e1");
    const body = { tenant_id: "a", channel: "echo", account_id, entry_agent: "support" };
    await gateway.call("POST", "/admin/bindings", {
      headers: asAdmin,
      body: { ...body, config: { platform_api_key: "a-key-of-the-platform" } },
    });
    for (const id of ["1", "2"])
      await deliver(gateway, "echo", { from: "ana", text: "hi", id }, { account: "e1", headers: {} });
    await gateway.clock.advance(60_000);
    expect((await look(gateway, "gateway inbound")).status).toBe("healthy");
    await gateway.clock.advance(1_000);
    expect(await look(gateway, "gateway inbound")).toEqual({
      status: "failing",
      message:
        "2 delivered events are open; the oldest is 61 s old. 0 failed too often. An event that could be processed has waited for 61 s.",
      mend: "See whether its worker runs with `argosy workers`, and why it fails with `argosy logs`. If it is stuck, restart the server. If all its places are taken, raise spec.gateway.workers.",
    });
  });

  test("don't count an event behind one that a worker has", async () => {
    await using gateway = await startGateway(engine);
    const account_id = await gateway.account("a", "echo", "e1");
    const body = { tenant_id: "a", channel: "echo", account_id, entry_agent: "support" };
    await gateway.call("POST", "/admin/bindings", {
      headers: asAdmin,
      body: { ...body, config: { platform_api_key: "a-key-of-the-platform" } },
    });
    for (const id of ["1", "2"])
      await deliver(gateway, "echo", { from: "ana", text: "hi", id }, { account: "e1", headers: {} });
    const { storage, newId, clock } = gateway.deps;
    const { claimEvents } = await import("../../../src/channels/inbox/claim-events.ts");
    const claim = { owner: "w", attemptId: newId(), now: clock.now(), limit: 9, leaseMs: 10_000, busy: [] };
    expect(await claimEvents(storage, claim)).toHaveLength(1);
    await gateway.clock.advance(300_000);
    expect((await look(gateway, "gateway inbound")).status).toBe("healthy");
  });

  test("fail when a message that could be sent waits for over a minute", async () => {
    await using gateway = await startGateway(engine);
    await gateway.account("a", "phone_messenger", "PN1");
    const body = { channel: "phone_messenger", recipient: "1", text: "Hello" };
    await gateway.call("POST", "/api/v1/messages/send", { headers: asA, body });
    await gateway.clock.advance(60_000);
    expect((await look(gateway, "gateway outbox")).status).toBe("healthy");
    await gateway.clock.advance(1_000);
    expect(await look(gateway, "gateway outbox")).toMatchObject({
      status: "failing",
      message:
        "1 messages wait; the oldest open one is 61 s old. A message that could be sent has waited for 61 s.",
    });
  });

  test("name forgotten contacts of which something is left after five minutes", async () => {
    await using gateway = await startGateway(engine);
    const { storage, clock } = gateway.deps;
    const forgetting = {
      id: "contact-1",
      tenantId: "a",
      addresses: [],
      accountIds: [],
      conversationIds: [],
      tries: 3,
      dueAt: new Date(clock.now().getTime() + 3_600_000),
      createdAt: clock.now(),
    };
    await storage.transact((tx) => tx.insert(storage.tables.forgettings).values(forgetting));
    expect((await look(gateway, "forgotten contacts")).status).toBe("healthy");
    await gateway.clock.advance(5 * 60_000 + 1);
    expect(await look(gateway, "forgotten contacts")).toMatchObject({
      status: "degraded",
      message: expect.stringContaining("contact-1 of tenant a."),
      mend: expect.stringContaining("platform_api_key"),
    });
  });
});
