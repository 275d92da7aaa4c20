import { expect, test } from "bun:test";
import { retryWaitsMs } from "../../../../src/channels/outbox/outbox-step.ts";
import type { TrailEvent } from "../../../../src/contracts/gateway/trail.ts";
import { isInBackground } from "../../../../src/kit/concurrency/background-work.ts";
import { gatewayWorkers } from "../../../../src/services/gateway/workers.ts";
import { settle } from "../../../support/fake-clock.ts";
import { asA, asAdmin, asB, startGateway, type TestGateway } from "../../../support/gateway.ts";
import { onEachEngine, sqliteEngine } from "../../../support/storage-engines.ts";

/** Runs the outbox's worker until the block ends. */
function running(gateway: TestGateway) {
  const stopping = new AbortController();
  const [outbox] = gatewayWorkers(gateway.deps);
  const ended = outbox?.run(stopping.signal);
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await ended;
    },
  };
}

async function send(gateway: TestGateway, recipient: string, text: string): Promise<string> {
  const body = { channel: "phone_messenger", recipient, text };
  return (await gateway.call("POST", "/api/v1/messages/send", { headers: asA, body })).body.message_id;
}

async function outcome(gateway: TestGateway, id: string) {
  return (await gateway.call("GET", `/api/v1/messages/${id}`, { headers: asA })).body;
}

async function until(isDone: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isDone())) await settle();
}

/** Advances the clock until the worker, which may still read the database when a message is due, has found it. */
async function untilSent(gateway: TestGateway, count: number): Promise<void> {
  while (gateway.provider.sent.length < count) await gateway.clock.advance(1_000);
}

test("a queued message is sent at once, with its token and its account", async () => {
  await using gateway = await startGateway(sqliteEngine);
  await gateway.account("a", "phone_messenger", "PN1");
  await using _worker = running(gateway);
  const id = await send(gateway, "5215550001111", "Hello");
  await until(async () => (await outcome(gateway, id)).status === "sent");
  expect(gateway.provider.sent).toEqual([
    { text: "Hello", token: id, recipient: "5215550001111", account: "PN1" },
  ]);
  expect(await outcome(gateway, id)).toEqual({
    message_id: id,
    status: "sent",
    attempts: 0,
    last_error: null,
  });
});

test("a failed try is repeated after its wait, and counted", async () => {
  await using gateway = await startGateway(sqliteEngine);
  await gateway.account("a", "phone_messenger", "PN1");
  gateway.provider.results.push({ action: "retry", code: "2", isAccountWide: false });
  await using _worker = running(gateway);
  const id = await send(gateway, "1", "Hello");
  await until(async () => (await outcome(gateway, id)).attempts === 1);
  expect(await outcome(gateway, id)).toMatchObject({ status: "pending", last_error: "2" });
  await gateway.clock.advance(1_000);
  expect(gateway.provider.sent).toHaveLength(1);
  await untilSent(gateway, 2);
  await until(async () => (await outcome(gateway, id)).status === "sent");
  expect(gateway.provider.sent).toHaveLength(2);
});

test("a try after which the provider asks for no wait at all is counted, repeated after ours, and leaves no error once it is overcome", async () => {
  await using gateway = await startGateway(sqliteEngine);
  await gateway.account("a", "phone_messenger", "PN1");
  const again = { action: "retry", code: "http_503", waitMs: 0, isAccountWide: false } as const;
  gateway.provider.results.push(again, again, again);
  await using _worker = running(gateway);
  const id = await send(gateway, "1", "Hello");
  for (const [index, waitMs] of retryWaitsMs.slice(0, 3).entries()) {
    await until(async () => (await outcome(gateway, id)).attempts === index + 1);
    expect(await outcome(gateway, id)).toMatchObject({ last_error: "http_503" });
    await gateway.clock.advance(waitMs - 1_000);
    expect(gateway.provider.sent).toHaveLength(index + 1);
    await untilSent(gateway, index + 2);
  }
  await until(async () => (await outcome(gateway, id)).status === "sent");
  expect(await outcome(gateway, id)).toMatchObject({ attempts: 3, last_error: null });
  expect(gateway.provider.sent).toHaveLength(4);
});

test("the trail of a refused message has the error once, in the attempt", async () => {
  await using gateway = await startGateway(sqliteEngine);
  await gateway.account("a", "phone_messenger", "PN1");
  gateway.provider.results.push({ action: "final", code: "131047" });
  await using _worker = running(gateway);
  const id = await send(gateway, "1", "Hello");
  await until(async () => (await outcome(gateway, id)).status === "failed");
  const { body } = await gateway.call("GET", `/admin/messages/${id}/trail`, { headers: asAdmin });
  const told = body.messages[0].events.map(({ event, details }: TrailEvent) => [event, details?.error]);
  expect(told).toEqual([
    ["queued", undefined],
    ["attempt", "131047"],
    ["failed", undefined],
  ]);
});

test("an account's fault pauses it, and resuming sends what waits", async () => {
  await using gateway = await startGateway(sqliteEngine);
  const account = await gateway.account("a", "phone_messenger", "PN1");
  gateway.provider.results.push({ action: "pause", code: "190" });
  await using _worker = running(gateway);
  const id = await send(gateway, "1", "Hello");
  const list = () => gateway.call("GET", "/admin/accounts?tenant_id=a", { headers: asAdmin });
  await until(async () => (await list()).body.accounts[0].status === "paused");
  expect((await list()).body.accounts[0].paused_reason).toBe("190");
  expect(await outcome(gateway, id)).toMatchObject({ status: "pending", attempts: 0, last_error: "190" });
  const resumed = await gateway.call("POST", `/admin/accounts/${account}/resume`, { headers: asAdmin });
  expect(resumed.body).toMatchObject({ status: "active", paused_reason: null });
  await until(async () => (await outcome(gateway, id)).status === "sent");
});

test("ten messages to one recipient arrive in order", async () => {
  await using gateway = await startGateway(sqliteEngine);
  await gateway.account("a", "phone_messenger", "PN1");
  const texts = Array.from({ length: 10 }, (_, index) => `message ${index}`);
  for (const text of texts) await send(gateway, "1", text);
  await using _worker = running(gateway);
  await until(() => gateway.provider.sent.length === 10);
  expect(gateway.provider.sent.map(({ text }) => text)).toEqual(texts);
});

onEachEngine("a tenant whose messages hang", (engine) => {
  test("keeps places for the others", async () => {
    const hanging = Promise.withResolvers<void>();
    let held = 0;
    await using gateway = await startGateway(engine, ({ sender, ...deps }) => ({
      ...deps,
      sender: {
        ...sender,
        async send(account, message, part) {
          if (account.externalId === "PN1") {
            held++;
            await hanging.promise;
          }
          return sender.send(account, message, part);
        },
      },
    }));
    await gateway.account("a", "phone_messenger", "PN1");
    await gateway.account("b", "phone_messenger", "PN2");
    for (let n = 0; n < 80; n++) await send(gateway, `52155500${n}`, "Hello");
    await using _worker = running(gateway);
    await until(() => held >= 48);
    const body = { channel: "phone_messenger", recipient: "34600000000", text: "Hello" };
    const { body: queued } = await gateway.call("POST", "/api/v1/messages/send", { headers: asB, body });
    const path = `/api/v1/messages/${queued.message_id}`;
    await until(async () => (await gateway.call("GET", path, { headers: asB })).body.status === "sent");
    expect(held).toBe(48);
    hanging.resolve();
    await until(() => held === 80);
  });
});

onEachEngine("one person with three tenants and nine accounts", (engine) => {
  test("leaves places for another tenant's message", async () => {
    const hanging = Promise.withResolvers<void>();
    const begun: string[] = [];
    const tenants = ["greedy1", "greedy2", "greedy3"];
    const keyOf = (tenantId: string) => `key-of-${tenantId}`;
    await using gateway = await startGateway(engine, ({ sender, credentials, ...deps }) => ({
      ...deps,
      credentials: {
        ...credentials,
        sendKeys: [...tenants, "b"].map((tenantId) => ({ tenantId, key: keyOf(tenantId) })),
      },
      sender: {
        ...sender,
        async send(account, message, part) {
          begun.push(account.externalId);
          if (account.externalId !== "modest") await hanging.promise;
          return sender.send(account, message, part);
        },
      },
    }));
    const queue = async (tenant: string, account_id: string, recipient: string) => {
      const body = { channel: "phone_messenger", account_id, recipient, text: "Hello" };
      const headers = { "x-gateway-key": keyOf(tenant) };
      const { status } = await gateway.call("POST", "/api/v1/messages/send", { headers, body });
      expect(status).toBe(202);
    };
    for (const tenant of tenants) {
      gateway.deps.tenantOwners.told(tenant, "one person");
      for (let account = 0; account < 3; account++) {
        const id = await gateway.account(tenant, "phone_messenger", `${tenant}-${account}`);
        for (let one = 0; one < 12; one++) await queue(tenant, id, `5215550${one}`);
      }
    }
    const modest = await gateway.account("b", "phone_messenger", "modest");
    await using _worker = running(gateway);
    const share = (64 * 3) / 4;
    await until(() => begun.length >= share);
    await queue("b", modest, "34600000000");
    await until(() => begun.includes("modest"));
    // The greedy person has begun no more than its share.
    expect(begun.indexOf("modest")).toBe(share);
    hanging.resolve();
    await until(() => begun.length === 3 * 3 * 12 + 1);
  });
});

test("all writes of the gateway's workers are background work", async () => {
  await using gateway = await startGateway(sqliteEngine);
  const { storage } = gateway.deps;
  const seen: boolean[] = [];
  const transact: typeof storage.transact = (run, options) => {
    seen.push(isInBackground());
    return storage.transact(run, options);
  };
  const workers = gatewayWorkers({ ...gateway.deps, storage: { ...storage, transact } });
  const stopping = new AbortController();
  const ended = workers.map((worker) => worker.run(stopping.signal));
  // Those of notices and transcripts only read.
  await until(() => seen.length >= workers.length - 2);
  stopping.abort();
  await Promise.all(ended);
  expect(seen).not.toContain(false);
});
