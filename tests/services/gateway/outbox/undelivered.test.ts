import { expect, test } from "bun:test";
import { asAdmin, deliver, processAll } from "../../../support/gateway.ts";
import { type ProviderWorld, startProviderWorld } from "../../../support/gateway-providers.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const recipient = "5215550002222";
const admin = ({ gateway }: ProviderWorld, method: string, path: string) =>
  gateway.call(method, `/admin${path}`, { headers: asAdmin });

/** Delivers the provider's word about one of its messages. */
async function report({ gateway }: ProviderWorld, id: string | null, status: string, code?: number) {
  const errors =
    code === undefined ? {} : { errors: [{ code, error_data: { details: "Media download error" } }] };
  const value = {
    messaging_product: "whatsapp",
    metadata: { phone_number_id: "phone_messenger-0" },
    statuses: [
      {
        id,
        status,
        timestamp: `${gateway.clock.now().getTime() / 1000}`,
        recipient_id: recipient,
        ...errors,
      },
    ],
  };
  const entry = [{ id: "W", changes: [{ field: "messages", value }] }];
  await deliver(gateway, "phone_messenger", { object: "whatsapp_business_account", entry });
  await processAll(gateway);
}

const write = async ({ gateway }: ProviderWorld) => {
  const messages = [
    { from: recipient, id: "wamid.IN", timestamp: "1773144000", type: "text", text: { body: "hi" } },
  ];
  const value = {
    messaging_product: "whatsapp",
    metadata: { phone_number_id: "phone_messenger-0" },
    messages,
  };
  const entry = [{ id: "W", changes: [{ field: "messages", value }] }];
  await deliver(gateway, "phone_messenger", { object: "whatsapp_business_account", entry });
  await processAll(gateway);
};

const sent = async (world: ProviderWorld) => {
  const id = await world.send({ channel: "phone_messenger", recipient, text: "uno" });
  await world.quiet();
  return world.entry(id);
};

onEachEngine("a message that was accepted and then refused", (engine) => {
  test("is found by its delivery status, and counts as undelivered for its tenant", async () => {
    await using world = await startProviderWorld(engine);
    await world.account("phone_messenger");
    const [lost, fine] = [await sent(world), await sent(world)];
    await report(world, lost.channel_message_id, "failed", 131053);
    await report(world, fine.channel_message_id, "delivered");
    const list = (query: string) => admin(world, "GET", `/outbox?${query}`);
    expect((await list("delivery_status=failed&tenant=a")).body).toMatchObject({
      total: 1,
      entries: [
        {
          message_id: lost.message_id,
          status: "sent",
          delivery_status: "failed",
          last_error: "131053: Media download error",
        },
      ],
    });
    expect((await list("delivery_status=delivered")).body.total).toBe(1);
    expect((await list("delivery_status=failed&tenant=b")).body.total).toBe(0);
    expect((await list("delivery_status=lost")).status).toBe(400);
    expect((await admin(world, "GET", "/stats?tenant=a")).body.undelivered).toBe(1);
    expect((await admin(world, "GET", "/stats?tenant=b")).body.undelivered).toBe(0);
  });

  test("is sent anew under a new id, once: the second retry is 409", async () => {
    await using world = await startProviderWorld(engine);
    await world.account("phone_messenger");
    await write(world);
    const lost = await sent(world);
    await report(world, lost.channel_message_id, "failed", 131026);
    const calls = world.provider.requests.length;
    const [one, other] = await Promise.all([
      admin(world, "POST", `/outbox/${lost.message_id}/retry`),
      admin(world, "POST", `/outbox/${lost.message_id}/retry`),
    ]);
    expect([one.status, other.status].sort()).toEqual([200, 409]);
    const again = (one.status === 200 ? one : other).body;
    expect(again).toMatchObject({ status: "pending", delivery_status: null, last_error: null, recipient });
    expect(again.message_id).not.toBe(lost.message_id);
    await world.quiet();
    expect(world.provider.requests.length).toBe(calls + 1);
    // A late word about the first call is not one about the second.
    await report(world, lost.channel_message_id, "delivered");
    const second = await world.entry(again.message_id);
    expect(second).toMatchObject({ status: "sent", delivery_status: null });
    expect(second.channel_message_id).not.toBe(lost.channel_message_id);
    await report(world, second.channel_message_id, "read");
    expect(await world.entry(again.message_id)).toMatchObject({ delivery_status: "read" });
    expect(await world.entry(lost.message_id)).toMatchObject({
      delivery_status: "delivered",
      last_error: null,
    });
    const trail = (await admin(world, "GET", `/messages/${lost.message_id}/trail`)).body.messages;
    expect(trail.map((message: { message_id: string }) => message.message_id)).toEqual([
      again.message_id,
      lost.message_id,
    ]);
  });

  test("no longer counts as undelivered once it is sent anew, and stands in the conversation twice", async () => {
    await using world = await startProviderWorld(engine);
    await world.account("phone_messenger");
    await write(world);
    const lost = await sent(world);
    await report(world, lost.channel_message_id, "failed", 131026);
    await admin(world, "POST", `/outbox/${lost.message_id}/retry`);
    await world.quiet();
    expect((await admin(world, "GET", "/stats")).body.undelivered).toBe(0);
    expect((await admin(world, "GET", "/outbox?delivery_status=failed")).body.total).toBe(0);
    const [{ id }] = (await admin(world, "GET", "/conversations")).body.conversations;
    const { messages } = (await admin(world, "GET", `/conversations/${id}/messages`)).body;
    expect(
      messages.slice(1).map(({ text, status }: { text: string; status: string }) => [text, status]),
    ).toEqual([
      ["uno", "resent"],
      ["uno", "sent"],
    ]);
  });

  test("that was delivered after all is not sent again: 409", async () => {
    await using world = await startProviderWorld(engine);
    await world.account("phone_messenger");
    const found = await sent(world);
    await report(world, found.channel_message_id, "failed", 131026);
    await report(world, found.channel_message_id, "delivered");
    expect((await admin(world, "POST", `/outbox/${found.message_id}/retry`)).status).toBe(409);
  });
});
