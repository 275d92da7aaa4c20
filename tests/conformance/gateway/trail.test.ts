import { describe, expect, test } from "bun:test";
import type { TrailEvent, TrailMessage } from "../../../src/contracts/gateway/trail.ts";
import { appendTrail } from "../../../src/services/gateway/trail/append-trail.ts";
import {
  answered,
  asA,
  asAdmin,
  deliver,
  processAll,
  startGateway,
  type TestGateway,
} from "../../support/gateway.ts";
import { deliveryOf, textMessage } from "../../support/message-provider.ts";
import { onEachEngine, sqliteEngine } from "../../support/storage-engines.ts";

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
    const byNumber = await trail("+52 1-555");
    expect(byNumber.body).toEqual((await trail("521555")).body);
    expect(byNumber.body.messages).toHaveLength(3);
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

const trailOf = async (gateway: TestGateway, name: string): Promise<TrailMessage[]> => {
  const path = `/admin/messages/${encodeURIComponent(name)}/trail`;
  return (await gateway.call("GET", path, { headers: asAdmin })).body.messages;
};
const bind = (gateway: TestGateway, accountId: string, binding: object) =>
  gateway.call("POST", "/admin/bindings", {
    headers: asAdmin,
    body: { tenant_id: "a", account_id: accountId, ...binding },
  });
const byAgent = {
  entry_agent: "support",
  fallback_message: "Sorry.",
  config: { platform_api_key: "apk_test-key-0001" },
};
const eventsOf = ({ events }: TrailMessage = {} as TrailMessage) =>
  events.map(({ event, details, related_id }: TrailEvent) => [event, details, related_id]);

onEachEngine("the trail of a user's message", (engine) => {
  test("tells signature, repetitions, run, answers, and what became of these", async () => {
    await using gateway = await startGateway(engine, undefined, "2025-10-09T08:53:30.000Z");
    const accountId = await gateway.account("a", "phone_messenger", "PNID1");
    await bind(gateway, accountId, byAgent);
    gateway.platform.answers = ({ request }) => answered(`${request.query}[[+]]more`);
    const delivery = deliveryOf([textMessage("wamid.T1", "hola"), textMessage("wamid.T1", "hola")]);
    await deliver(gateway, "phone_messenger", delivery);
    // Not yet processed, it is found by each of its names.
    for (const name of ["wamid.T1", "5215550002222"]) {
      const [waiting, ...others] = await trailOf(gateway, name);
      expect(others).toEqual([]);
      expect(eventsOf(waiting).map(([event]) => event)).toEqual(["received", "queued", "duplicate"]);
    }
    await deliver(gateway, "phone_messenger", delivery);
    await processAll(gateway);
    const found = await trailOf(gateway, "wamid.T1");
    const inbound = found.find(({ direction }) => direction === "inbound");
    const replies = found
      .filter(({ direction }) => direction === "outbound")
      .map(({ message_id }) => message_id);
    expect(replies).toHaveLength(2);
    expect(inbound).toMatchObject({
      tenant_id: "a",
      account_id: accountId,
      address: "5215550002222",
      channel_message_id: "wamid.T1",
    });
    const id = inbound?.message_id;
    const invocation = expect.any(String);
    expect(eventsOf(inbound)).toEqual([
      ["received", { signature: "hmac-sha256" }, undefined],
      ["queued", { conversation: expect.any(String) }, undefined],
      ...Array.from({ length: 3 }, () => ["duplicate", undefined, id ?? ""]),
      ["run", { agent: "support", status: "ok", invocation }, undefined],
      ["answered", { by: "support" }, replies[1] ?? ""],
      ["answered", { by: "support" }, replies[0] ?? ""],
      ["closed", { outcome: "answered" }, undefined],
    ]);
    // The user's address and the answer's id tell the same.
    for (const name of ["5215550002222", replies[0] ?? ""]) {
      const ids = (await trailOf(gateway, name)).map(({ message_id }) => message_id);
      expect(ids).toContain(id ?? "");
    }
    expect(JSON.stringify(found)).not.toContain("hola");
  });

  test("has at most 20 repetitions of a message that its provider repeats for days", async () => {
    await using gateway = await startGateway(engine);
    await gateway.account("a", "echo", "e1");
    for (let time = 0; time < 25; time++) {
      const body = { from: "ana", text: "x", id: "m1" };
      await deliver(gateway, "echo", body, { account: "e1", headers: {} });
    }
    const [message] = await trailOf(gateway, "m1");
    expect(eventsOf(message).filter(([event]) => event === "duplicate")).toHaveLength(20);
  });
});

describe("the trail of a user's message", () => {
  const write = async (gateway: TestGateway) => {
    await deliver(gateway, "echo", { from: "ana", text: "x", id: "m1" }, { account: "e1", headers: {} });
    await processAll(gateway);
  };

  test("says that a run failed with 402 and the fallback answers", async () => {
    await using gateway = await startGateway(sqliteEngine);
    await bind(gateway, await gateway.account("a", "echo", "e1"), byAgent);
    gateway.platform.answers = () => ({ kind: "refused", status: 402, code: "credit_budget_exhausted" });
    await write(gateway);
    const [, message] = await trailOf(gateway, "ana");
    expect(eventsOf(message).slice(2)).toEqual([
      ["run", { agent: "support", status: "credit_budget_exhausted" }, undefined],
      ["answered", { by: "fallback" }, expect.any(String)],
      ["closed", { outcome: "fallback" }, undefined],
    ]);
    expect(eventsOf(message)[0]).toEqual(["received", { signature: "none" }, undefined]);
  });

  test("names the message that brings it to a callback", async () => {
    await using gateway = await startGateway(sqliteEngine);
    const config = { callback_url: "https://hooks.example/x" };
    await bind(gateway, await gateway.account("a", "echo", "e1"), { config });
    await write(gateway);
    const [forward, message] = await trailOf(gateway, "m1");
    expect(forward).toMatchObject({ direction: "outbound" });
    expect(eventsOf(message).slice(2)).toEqual([
      ["forwarded", undefined, forward?.message_id],
      ["closed", { outcome: "forwarded" }, undefined],
    ]);
  });

  test("says why a message was not answered: unbound, held by a person, too old, or parked", async () => {
    await using gateway = await startGateway(sqliteEngine);
    const accountId = await gateway.account("a", "echo", "e1");
    await write(gateway);
    expect(eventsOf((await trailOf(gateway, "ana"))[0]).at(-1)).toEqual([
      "closed",
      { outcome: "unbound" },
      undefined,
    ]);
    await bind(gateway, accountId, byAgent);
    gateway.platform.answers = () => {
      throw new Error("broken");
    };
    await deliver(gateway, "echo", { from: "eva", text: "x", id: "m2" }, { account: "e1", headers: {} });
    for (let round = 0; round < 5; round++) {
      await processAll(gateway);
      await gateway.clock.advance(80_000);
    }
    const parked = (await trailOf(gateway, "m2")).find(({ direction }) => direction === "inbound");
    expect(
      eventsOf(parked)
        .slice(2)
        .map(([event]) => event),
    ).toEqual(["answered", "parked"]);
    const phone = await gateway.account("a", "phone_messenger", "PNID1");
    await bind(gateway, phone, byAgent);
    await deliver(gateway, "phone_messenger", deliveryOf([textMessage("wamid.OLD", "hola")]));
    expect(eventsOf((await trailOf(gateway, "wamid.OLD"))[0]).at(-1)).toEqual([
      "closed",
      { outcome: "stale" },
      undefined,
    ]);
  });
});
