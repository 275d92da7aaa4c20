import { expect, test } from "bun:test";
import type { OutboxEntry } from "../../src/contracts/gateway/admin.ts";
import type { MessageTrail } from "../../src/contracts/gateway/trail.ts";
import { startGatewayProgram } from "../support/gateway-program.ts";
import { socketTurns } from "../support/socket-turns.ts";

const customer = "5215550002222";
const canary = "Your parcel left.";

/*
 * Agents and programs of tenants send through the platform and the gateway, in one process and in two. The test judges by what the
 * provider got.
 */
for (const processes of [1, 2, 3] as const) {
  const where = processes === 1 ? "one process" : `${processes} processes`;

  test(`an agent writes to its customer during a run, in ${where}`, async () => {
    await using gateway = await startGatewayProgram(
      ({ body }) => {
        if (body.messages.some(({ role }) => role === "tool")) return { text: "Anything else?" };
        const message = { channel: "phone_messenger", recipient: customer, text: canary };
        return { toolCalls: [{ name: "send_message", arguments: message }] };
      },
      { processes },
    );
    const key = await gateway.setUp({ tools: [{ name: "send_message", type: "internal" }] });
    expect(await gateway.deliver("wamid.1", customer, "Where is it?")).toBe(200);
    while (gateway.textsTo(customer).length < 2) await socketTurns(4);
    expect(gateway.textsTo(customer)).toEqual([canary, "Anything else?"]);
    const outbox = async () =>
      ((await gateway.admin("/admin/outbox")) as { entries: OutboxEntry[] }).entries.toReversed();
    expect((await outbox()).map(({ source, recipient }) => [source, recipient])).toEqual([
      ["platform_proactive", customer],
      ["agent_reply", customer],
    ]);
    // The delivery, the run, and what the run sent have one trace.
    const trailOf = async (id: string) =>
      (await gateway.admin(`/admin/messages/${id}/trail`)) as MessageTrail;
    const { messages } = await trailOf(customer);
    expect(messages.map(({ direction }) => direction)).toEqual(["outbound", "outbound", "inbound"]);
    const traces = new Set(messages.map(({ trace_id }) => trace_id));
    expect([...traces]).toEqual([messages[2]?.message_id.replaceAll("-", "") ?? ""]);

    // A program of the tenant sends the same way, also into the conversation.
    const send = (body: object) => gateway.asTenant(key, "/api/v1/messages/send", body);
    const message = { channel: "phone_messenger", recipient: customer, text: "By a program" };
    expect(await send(message)).toEqual({
      status: 202,
      body: { message_id: expect.any(String), status: "pending" },
    });
    const { conversations } = (await gateway.admin("/admin/conversations")) as {
      conversations: { id: string }[];
    };
    const there = { ...message, text: "In the conversation", conversation_ref: conversations[0]?.id };
    expect((await send(there)).status).toBe(202);
    while (gateway.textsTo(customer).length < 4) await socketTurns(4);
    expect(gateway.textsTo(customer).slice(2)).toEqual(["By a program", "In the conversation"]);

    // The gateway's refusals keep their texts.
    expect(await send({ ...message, channel: "echo" })).toMatchObject({
      status: 404,
      body: { error: "not_found", message: "There is no account on echo." },
    });
    expect(await send({ ...message, channel: "pigeon" })).toMatchObject({ status: 400 });
    expect(await send({ ...message, conversation_ref: "c-unknown" })).toMatchObject({ status: 404 });
    expect(await send({ channel: "phone_messenger", recipient: customer })).toMatchObject({
      status: 400,
      body: { problems: [{ path: "text", message: "is required" }] },
    });
    expect((await gateway.asTenant("apk_wrong", "/api/v1/messages/send", message)).status).toBe(401);
  });
}
