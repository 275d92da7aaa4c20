import { expect, test } from "bun:test";
import { appendTrail } from "../../../src/services/gateway/trail/append-trail.ts";
import { asA, asAdmin, startGateway } from "../../support/gateway.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

onEachEngine("the trail of messages", (engine) => {
  test("is found by id, provider's id and address, with what they answer; unknown is 404", async () => {
    await using gateway = await startGateway(engine);
    const accountId = await gateway.account("a", "phone_messenger", "PN1");
    const body = { channel: "phone_messenger", recipient: "521555", text: "Hello" };
    const { message_id: id } = (await gateway.call("POST", "/api/v1/messages/send", { headers: asA, body }))
      .body;
    const { storage, newId, clock } = gateway.deps;
    const inbound = { tenantId: "a", accountId, channel: "phone_messenger", direction: "inbound" } as const;
    await storage.transact((tx) =>
      appendTrail(tx, storage.tables, newId, [
        {
          ...inbound,
          messageId: "in1",
          event: "received",
          channelMessageId: "wamid.IN/1=",
          address: "521555",
          at: clock.now(),
        },
        {
          ...inbound,
          messageId: "in1",
          event: "answered",
          relatedId: id,
          details: { by: "agent" },
          at: clock.now(),
        },
        {
          ...inbound,
          tenantId: "b",
          messageId: "in2",
          event: "received",
          address: "521555",
          at: clock.now(),
        },
      ]),
    );
    const trail = async (name: string, query = "") =>
      gateway.call("GET", `/admin/messages/${encodeURIComponent(name)}/trail${query}`, { headers: asAdmin });
    const byProvider = await trail("wamid.IN/1=");
    expect(byProvider.status).toBe(200);
    expect(byProvider.body.messages).toMatchObject([
      { message_id: "in1", direction: "inbound", channel_message_id: "wamid.IN/1=", address: "521555" },
      { message_id: id, direction: "outbound", events: [{ event: "queued", details: { source: "api" } }] },
    ]);
    const named = byProvider.body.messages[0].events.map((one: { event: string }) => one.event);
    expect(named).toEqual(["received", "answered"]);
    expect((await trail("521555", "?tenant=b")).body.messages).toMatchObject([{ message_id: "in2" }]);
    expect((await trail("521555")).body.messages).toHaveLength(3);
    expect((await trail(id)).body.messages).toHaveLength(2);
    expect(await trail("nobody")).toMatchObject({
      status: 404,
      body: { error: expect.stringContaining("nobody") },
    });
    expect((await trail(id, "?limit=0")).status).toBe(400);
    expect((await gateway.call("GET", `/admin/messages/${id}/trail`)).status).toBe(401);
  });
});
