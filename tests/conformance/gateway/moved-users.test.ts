import { expect, test } from "bun:test";
import { moveRecipient } from "../../../src/channels/outbox/settle-messages.ts";
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
import { onEachEngine, type TestEngine } from "../../support/storage-engines.ts";

const old = "5215550002222";
const fresh = "5215550009999";

/** A gateway with a WhatsApp account that the agent `support` answers. */
async function startBound(engine: TestEngine): Promise<TestGateway & { accountId: string }> {
  const gateway = await startGateway(engine, undefined, "2025-10-09T08:53:30.000Z");
  const accountId = await gateway.account("a", "phone_messenger", "PNID1");
  const config = { platform_api_key: "apk_test-key-0001" };
  const body = { tenant_id: "a", account_id: accountId, entry_agent: "support", config };
  const { status, text } = await gateway.call("POST", "/admin/bindings", { headers: asAdmin, body });
  if (status !== 201) throw new Error(text);
  return { ...gateway, accountId, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() };
}

async function receive(gateway: TestGateway, ...messages: readonly object[]): Promise<void> {
  expect((await deliver(gateway, "phone_messenger", deliveryOf(messages))).status).toBe(200);
  await processAll(gateway);
}

const changedNumber = {
  from: old,
  id: "wamid.moved",
  timestamp: "1760000000",
  type: "system",
  system: { body: "changed", wa_id: fresh, type: "user_changed_number" },
};

const send = (gateway: TestGateway, recipient: string, text: string) =>
  gateway.call("POST", "/api/v1/messages/send", {
    headers: asA,
    body: { channel: "phone_messenger", recipient, text },
  });

const waitingOf = async ({ deps: { storage } }: TestGateway) =>
  (await storage.read.select().from(storage.tables.outbox).orderBy(storage.tables.outbox.id)).map(
    ({ recipient, lane, payload }) => [recipient, lane?.split(":").at(-1), payload.text].join(),
  );
const conversationsOf = async (gateway: TestGateway) =>
  (await gateway.call("GET", "/admin/conversations", { headers: asAdmin })).body.conversations;

onEachEngine("a user with a new number", (engine) => {
  test("gets there what waits for the old one, which may be another person's now", async () => {
    await using gateway = await startBound(engine);
    await send(gateway, old, "before they wrote");
    await receive(gateway, textMessage("wamid.1", "hola"));
    await send(gateway, old, "after it");
    await receive(gateway, changedNumber);
    const moved = ["before they wrote", "HOLA", "after it"].map((text) => `${fresh},${fresh},${text}`);
    expect(await waitingOf(gateway)).toEqual(moved);
    expect(await conversationsOf(gateway)).toMatchObject([{ external_user: fresh }]);
    // The same again changes nothing, also for the number's next owner.
    await send(gateway, old, "to the next owner");
    await receive(gateway, changedNumber);
    expect(await waitingOf(gateway)).toEqual([...moved, `${old},${old},to the next owner`]);
    await receive(gateway, textMessage("wamid.2", "I am another"));
    expect((await waitingOf(gateway)).at(-1)).toBe(`${old},${old},I AM ANOTHER`);
    expect(await conversationsOf(gateway)).toMatchObject([{ external_user: fresh }, { external_user: old }]);
  });

  test("gets there the answer of a run that is under way", async () => {
    await using gateway = await startBound(engine);
    const { storage } = gateway.deps;
    gateway.platform.answers = async ({ request }) => {
      const move = { tenantId: "a", accountId: gateway.accountId, from: old, to: fresh };
      await storage.transact((tx) => moveRecipient(tx, gateway.deps, move));
      return answered(request.query.toUpperCase());
    };
    await receive(gateway, textMessage("wamid.1", "hola"));
    expect(await waitingOf(gateway)).toEqual([`${fresh},${fresh},HOLA`]);
  });

  test("who already wrote from it has one conversation, and what waits in it goes to the new number", async () => {
    await using gateway = await startBound(engine);
    await receive(gateway, textMessage("wamid.1", "hola"));
    const [before] = await conversationsOf(gateway);
    await receive(gateway, textMessage("wamid.2", "I am here now", { from: fresh }));
    await receive(gateway, changedNumber);
    const body = { conversation_ref: before.id, text: "by its conversation" };
    await gateway.call("POST", "/api/v1/messages/send", { headers: asA, body });
    expect(await waitingOf(gateway)).toEqual(
      ["HOLA", "I AM HERE NOW", "by its conversation"].map((text) => `${fresh},${fresh},${text}`),
    );
    expect(await conversationsOf(gateway)).toHaveLength(1);
    await receive(gateway, textMessage("wamid.3", "whoever has it now"));
    expect((await waitingOf(gateway)).at(-1)).toBe(`${old},${old},WHOEVER HAS IT NOW`);
  });
});
