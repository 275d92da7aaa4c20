import { expect, test } from "bun:test";
import { asA, asAdmin, deliver, processAll, startGateway, type TestGateway } from "../../support/gateway.ts";
import { deliveryOf, textMessage } from "../../support/message-provider.ts";
import { onEachEngine, type TestEngine } from "../../support/storage-engines.ts";

const phone = "5215550002222";
const bsuid = "MX.666";

async function startBound(engine: TestEngine): Promise<TestGateway> {
  const gateway = await startGateway(engine, undefined, "2025-10-09T08:53:30.000Z");
  const accountId = await gateway.account("a", "phone_messenger", "PNID1");
  const config = { platform_api_key: "apk_test-key-0001" };
  const body = { tenant_id: "a", account_id: accountId, entry_agent: "support", config };
  const { status, text } = await gateway.call("POST", "/admin/bindings", { headers: asAdmin, body });
  if (status !== 201) throw new Error(text);
  return gateway;
}

async function receive(gateway: TestGateway, message: object, contact: object): Promise<void> {
  const contacts = [{ profile: { name: "Ana" }, ...contact }];
  const delivery = deliveryOf([message], { contacts });
  expect((await deliver(gateway, "phone_messenger", delivery)).status).toBe(200);
  await processAll(gateway);
}

const byPhone = (id: string, text: string) => textMessage(id, text);
const byId = (id: string, text: string) => ({
  ...textMessage(id, text, { from_user_id: bsuid }),
  from: undefined,
});

const conversationsOf = async (gateway: TestGateway) =>
  (await gateway.call("GET", "/admin/conversations?tenant=a", { headers: asAdmin })).body.conversations;
const post = (gateway: TestGateway, path: string) => gateway.call("POST", path, { headers: asAdmin });

onEachEngine("a person", (engine) => {
  test("who is taken over stays with people when they write by another address of theirs", async () => {
    await using gateway = await startBound(engine);
    await receive(gateway, byPhone("wamid.1", "a person, please"), { wa_id: phone, user_id: bsuid });
    const [{ id }] = await conversationsOf(gateway);
    await post(gateway, `/admin/conversations/${id}/takeover`);
    await receive(gateway, byId("wamid.2", "can you help?"), { user_id: bsuid });
    expect(gateway.platform.runs).toHaveLength(1);
    expect(await conversationsOf(gateway)).toMatchObject([{ id, mode: "human" }]);
  });

  test("with two conversations has one when the provider names both addresses: the older id stays, the other stands for it", async () => {
    await using gateway = await startBound(engine);
    await receive(gateway, byPhone("wamid.1", "first"), { wa_id: phone });
    const [older] = await conversationsOf(gateway);
    await gateway.clock.advance(1_000);
    await receive(gateway, byId("wamid.2", "second"), { user_id: bsuid });
    const younger = (await conversationsOf(gateway)).find((one: { id: string }) => one.id !== older.id);
    await post(gateway, `/admin/conversations/${younger.id}/takeover`);
    await gateway.clock.advance(1_000);
    await receive(gateway, byPhone("wamid.3", "third"), { wa_id: phone, user_id: bsuid });
    expect(await conversationsOf(gateway)).toMatchObject([
      { id: older.id, mode: "human", session_id: younger.session_id },
    ]);
    expect(gateway.platform.runs).toHaveLength(2);
    const path = `/admin/conversations/${younger.id}`;
    expect((await gateway.call("GET", path, { headers: asAdmin })).body.id).toBe(older.id);
    const { messages } = (await gateway.call("GET", `${path}/messages`, { headers: asAdmin })).body;
    expect(messages.map(({ text }: { text: string }) => text)).toEqual([
      "first",
      "FIRST",
      "second",
      "SECOND",
      "third",
    ]);
  });

  test("to whom we write first has a conversation, whose agent is told what we wrote when they answer", async () => {
    await using gateway = await startBound(engine);
    const body = { channel: "phone_messenger", recipient: `+${phone}`, text: "Is ten o'clock good?" };
    await gateway.call("POST", "/api/v1/messages/send", { headers: asA, body });
    expect(await conversationsOf(gateway)).toMatchObject([{ external_user: phone, mode: "bot" }]);
    await receive(gateway, byPhone("wamid.1", "yes"), { wa_id: phone });
    await receive(gateway, byPhone("wamid.2", "thanks"), { wa_id: phone });
    const [first, second] = gateway.platform.runs.map(({ request }) => request);
    expect(first?.context).toMatchObject({ is_new_conversation: true });
    expect(first?.turns).toMatchObject([
      { role: "assistant", content: "Is ten o'clock good?", by: "program" },
    ]);
    expect(second?.turns).toBeUndefined();
    expect(await conversationsOf(gateway)).toHaveLength(1);
  });

  test("whom people release gets an answer to their last message, of an agent that knows what was said", async () => {
    await using gateway = await startBound(engine);
    await receive(gateway, byPhone("wamid.1", "hello"), { wa_id: phone });
    const [{ id }] = await conversationsOf(gateway);
    await post(gateway, `/admin/conversations/${id}/takeover`);
    await receive(gateway, byPhone("wamid.2", "my order is 8841"), { wa_id: phone });
    const body = { tenant_id: "a", conversation_ref: id, text: "It leaves on Thursday." };
    await gateway.call("POST", "/admin/send", { headers: asAdmin, body });
    await receive(gateway, byPhone("wamid.3", "when, please?"), { wa_id: phone });
    expect(gateway.platform.runs).toHaveLength(1);
    await post(gateway, `/admin/conversations/${id}/release`);
    await processAll(gateway);
    expect(gateway.platform.runs[1]?.request).toMatchObject({
      query: "when, please?",
      turns: [
        { role: "user", content: "my order is 8841" },
        { role: "assistant", content: "It leaves on Thursday.", by: "person" },
      ],
    });
    await receive(gateway, byPhone("wamid.4", "thanks"), { wa_id: phone });
    expect(gateway.platform.runs[2]?.request.turns).toBeUndefined();
  });
});
