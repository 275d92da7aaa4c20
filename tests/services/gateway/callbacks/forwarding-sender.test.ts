import { expect, test } from "bun:test";
import { signatureOf } from "../../../../src/channels/sending/post-callback.ts";
import { createForwardingSender } from "../../../../src/services/gateway/callbacks/forwarding-sender.ts";
import { asAdmin, deliver, processAll, scriptedSender, startGateway } from "../../../support/gateway.ts";
import { sqliteEngine } from "../../../support/storage-engines.ts";

test("a message of a binding with a callback is forwarded, signed, and judged by the answer", async () => {
  await using gateway = await startGateway(sqliteEngine);
  const accountId = await gateway.account("a", "echo", "e1");
  const config = { callback_url: "https://shop.example/in", callback_secret: "callback-secret" };
  await gateway.call("POST", "/admin/bindings", {
    headers: asAdmin,
    body: { tenant_id: "a", account_id: accountId, config },
  });
  await deliver(gateway, "echo", { from: "ana", text: "hi", id: "m1" }, { account: "e1", headers: {} });
  await processAll(gateway);
  expect(gateway.platform.calls).toEqual([]);
  const { storage, sealer, media, clock, log } = gateway.deps;
  const [row] = await storage.read.select().from(storage.tables.outbox);
  expect(row).toMatchObject({ source: "inbound_forward", lane: `forward:${accountId}:ana` });
  const statuses = [200, 410, 500];
  const posted: { url: string; headers: Readonly<Record<string, string>>; body: string }[] = [];
  const sender = createForwardingSender(scriptedSender(), {
    ...{ storage, sealer, media, clock, log },
    async post(url, headers, body) {
      posted.push({ url, headers, body });
      return { status: statuses.shift() ?? 0, retryAfterMs: undefined };
    },
  });
  const account = {
    id: accountId,
    tenantId: "a",
    channel: "echo",
    externalId: "e1",
    emulated: false,
  } as const;
  const message = { ...row?.payload, token: row?.id ?? "", recipient: "ana" };
  const actions: string[] = [];
  for (let count = 0; count < 3; count++) {
    actions.push((await sender.send({ ...account, credentials: {} }, message, 0)).result.action);
  }
  expect(actions).toEqual(["sent", "final", "retry"]);
  const body = {
    message_id: "m1",
    from: "ana",
    text: "hi",
    channel: "echo",
    timestamp: "2026-03-10T12:00:00.000Z",
  };
  expect(JSON.parse(posted[0]?.body ?? "")).toEqual(body);
  expect(posted[0]).toMatchObject({
    url: config.callback_url,
    headers: { "x-gateway-signature-256": signatureOf(posted[0]?.body ?? "", "callback-secret") },
  });
});
