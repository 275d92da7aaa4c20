import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { eq } from "drizzle-orm";
import { webhookSecretOf } from "../../../src/channels/telegram/verify-secret.ts";
import { KnownOwners } from "../../../src/kit/concurrency/known-owners.ts";
import { InboundRoom } from "../../../src/services/gateway/inbound/inbound-room.ts";
import corpus from "../../corpora/webhook_forgeries.json" with { type: "json" };
import {
  appSecret,
  asAdmin,
  botSecret,
  deliver,
  photoSecret,
  processAll,
  signed,
  startGateway,
  type TestGateway,
  verifyToken,
} from "../../support/gateway.ts";
import { onePer } from "../../support/one-per.ts";
import { onEachEngine, sqliteEngine } from "../../support/storage-engines.ts";

interface Entry {
  id: string;
  input: {
    channel: string;
    header?: string;
    value?: string;
    method?: string;
    query?: Record<string, string>;
    body?: unknown;
    path?: string;
    content_encoding?: string;
  };
  why: string;
  expected: string;
}
const entries = corpus.entries as unknown as Entry[];

const at = 1_773_144_000;
const phoneDelivery = (messages: object[], account = "PNID1") => ({
  object: "whatsapp_business_account",
  entry: [
    {
      id: "W",
      changes: [
        {
          field: "messages",
          value: {
            messaging_product: "whatsapp",
            metadata: { display_phone_number: "15550001111", phone_number_id: account },
            messages,
          },
        },
      ],
    },
  ],
});
const text = (id: string, body = "hola", from = "5215550002222") => ({
  from,
  id,
  timestamp: String(at),
  type: "text",
  text: { body },
});
const photoDelivery = { object: "instagram", entry: [] };

/** Has a space and an escape that re-serialised JSON lacks. */
const bodyOf = (channel: string) =>
  `${JSON.stringify(channel === "photo_social" ? photoDelivery : phoneDelivery([text("wamid.F")])).slice(0, -1)} , "note": "\\u00e9"}`;

function headerValue(channel: string, described: string | undefined): string | undefined {
  const body = bodyOf(channel);
  const secret = channel === "photo_social" ? photoSecret : appSecret;
  const hex = (key: string, of: string = body) => createHmac("sha256", key).update(of).digest("hex");
  const values: Record<string, string | undefined> = {
    "(absent)": undefined,
    valid: `sha256=${hex(secret)}`,
    "sha1=HMAC1(app_secret, raw)": `sha1=${createHmac("sha1", secret).update(body).digest("hex")}`,
    "HMAC(app_secret, raw) without prefix": hex(secret),
    "sha256=HMAC(app_secret, raw)": `sha256=${hex(secret)}`,
    "sha256=HMAC upper case hex": `sha256=${hex(secret).toUpperCase()}`,
    "SHA256=HMAC": `SHA256=${hex(secret)}`,
    "sha256=HMAC(wrong_secret, raw)": `sha256=${hex("wrong")}`,
    "sha256=HMAC('', raw)": `sha256=${hex("")}`,
    "sha256=HMAC(verify_token, raw)": `sha256=${hex(verifyToken)}`,
    "sha256=HMAC(access_token, raw)": `sha256=${hex("EAAG-access-token-7890")}`,
    "sha256=HMAC(other_tenant_secret, raw)": `sha256=${hex("the secret of another app, 32 bytes")}`,
    "sha256=HMAC(app_secret, re-serialised JSON)": `sha256=${hex(secret, JSON.stringify(JSON.parse(body)))}`,
    "sha256=HMAC first 63 chars": `sha256=${hex(secret).slice(0, 63)}`,
    "sha256=HMAC + 'a'": `sha256=${hex(secret)}a`,
    "sha256=A, sha256=B": `sha256=${hex(secret)}, sha256=${hex(secret)}`,
    "sha256=HMAC, body then changed by one byte": `sha256=${hex(secret, `${body} `)}`,
    "@repeat:a:100000": "a".repeat(100_000),
  };
  return described !== undefined && described in values ? values[described] : described;
}

const rowsOf = ({ deps: { storage } }: TestGateway) => storage.read.select().from(storage.tables.inbound);

describe("signatures", () => {
  /** `tests/channels/webhook-forgeries.test.ts` checks each signature of the corpus; here is one for each channel and outcome. */
  const rows = onePer(
    entries.filter(({ input }) => input.header === "X-Hub-Signature-256"),
    ({ input, expected }) => `${input.channel} ${expected}`,
  );
  test("forged ones are 401 with one and the same body, valid ones 200", async () => {
    await using gateway = await startGateway(sqliteEngine);
    await gateway.account("a", "phone_messenger", "PNID1");
    const bodies = new Set<string>();
    for (const { id, input, expected } of rows) {
      const value = headerValue(input.channel, input.value);
      // HTTP has no such characters in headers.
      if (value !== undefined && !/^[\x20-\x7e]*$/.test(value)) continue;
      const answer = await gateway.call("POST", `/webhooks/${input.channel}`, {
        headers: {
          ...(value !== undefined && { "x-hub-signature-256": value }),
          ...(input.content_encoding !== undefined && { "content-encoding": input.content_encoding }),
        },
        body: bodyOf(input.channel),
      });
      const wanted =
        expected === "200" ? [200] : input.content_encoding !== undefined ? [415, 401] : [401, 431];
      expect({ id, isRight: wanted.includes(answer.status) }).toEqual({ id, isRight: true });
      if (answer.status === 401) bodies.add(answer.text);
    }
    // The refusal doesn't say which part failed.
    expect(bodies.size).toBe(1);
  });

  test("a bot's secret opens its own account alone, and a body is checked", async () => {
    await using gateway = await startGateway(sqliteEngine);
    await gateway.account("a", "bot_messenger", "BOT1");
    const right = webhookSecretOf(botSecret, "BOT1");
    const secrets: Record<string, string | undefined> = {
      right,
      RIGHT: right.toUpperCase(),
      "other-account": webhookSecretOf(botSecret, "BOT2"),
      "prefix-of-right": right.slice(0, -1),
    };
    for (const { id, input, expected } of entries.filter(({ input }) => input.channel === "bot_messenger")) {
      const isBody = typeof input.body === "object";
      if (input.header === undefined && !isBody) continue;
      const value = isBody ? right : (secrets[input.value ?? ""] ?? input.value);
      const answer = await gateway.call("POST", "/webhooks/bot_messenger/BOT1", {
        headers: value === undefined ? {} : { "x-telegram-bot-api-secret-token": value },
        body: JSON.stringify(isBody ? input.body : { update_id: 1 }),
      });
      const wanted = expected === "401" ? 401 : expected === "400" ? 400 : 200;
      expect({ id, status: answer.status }).toEqual({ id, status: wanted });
    }
  });

  test("an account with an app of its own verifies its own secret (another is 401) at its own address (another is 404)", async () => {
    await using gateway = await startGateway(sqliteEngine, (deps) => ({
      ...deps,
      webhookSecrets: new Map(),
    }));
    const own = "secret-of-an-app-of-its-own-with-32-bytes";
    const saved = await gateway.call("POST", "/admin/accounts", {
      headers: asAdmin,
      body: {
        tenant_id: "a",
        channel: "phone_messenger",
        external_id: "PNID1",
        credentials: { access_token: "EAAG-access-token", app_secret: own, verify_token: "mine" },
      },
    });
    expect(saved.body.credentials).toEqual({
      access_token: "•••oken",
      app_secret: "•••ytes",
      verify_token: "•••",
    });
    await gateway.account("b", "phone_messenger", "PNID2");
    const body = JSON.stringify({
      ...phoneDelivery([text("wamid.1")]),
      entry: [...phoneDelivery([text("wamid.1")]).entry, ...phoneDelivery([text("wamid.2")], "PNID2").entry],
    });
    const by = (secret: string) => ({
      "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    });
    const path = "/webhooks/phone_messenger/PNID1";
    const statuses = await Promise.all([
      gateway.call("POST", path, { headers: by(own), body }),
      gateway.call("POST", path, { headers: by(appSecret), body }),
      gateway.call("POST", "/webhooks/phone_messenger/PNID2", { headers: by(own), body }),
      gateway.call("POST", "/webhooks/phone_messenger", { headers: by(own), body }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([200, 401, 404, 404]);
    expect((await rowsOf(gateway)).map(({ tenantId }) => tenantId)).toEqual(["a"]);
    const handshake = (token: string) =>
      gateway.call("GET", `${path}?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=7`);
    expect([(await handshake("mine")).text, (await handshake(verifyToken)).status]).toEqual(["7", 403]);
  });
});

describe("a delivery signed with the shared secret", () => {
  const shared = "/webhooks/phone_messenger";
  const save = (gateway: TestGateway, external_id: string, app_secret: string) =>
    gateway.call("POST", "/admin/accounts", {
      headers: asAdmin,
      body: {
        tenant_id: "a",
        channel: "phone_messenger",
        external_id,
        credentials: { access_token: "EAAG-access-token", app_secret, verify_token: "mine" },
      },
    });
  const bodyFor = (...accounts: string[]) =>
    JSON.stringify({
      ...phoneDelivery([text("wamid.1")]),
      entry: accounts.flatMap((account) => phoneDelivery([text(`wamid.${account}`)], account).entry),
    });
  const post = (gateway: TestGateway, path: string, body: string, secret = appSecret) =>
    gateway.call("POST", path, {
      headers: { "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}` },
      body,
    });

  test("brings nothing for an account with an app of its own, and the rest is taken", async () => {
    await using gateway = await startGateway(sqliteEngine);
    const own = "secret-of-an-app-of-its-own-with-32-bytes";
    await save(gateway, "PNID1", own);
    await gateway.account("b", "phone_messenger", "PNID2");
    expect(await post(gateway, `${shared}/PNID1`, bodyFor("PNID1"))).toMatchObject({ status: 401 });
    expect(await post(gateway, shared, bodyFor("PNID1"))).toMatchObject({ status: 200, body: { queued: 0 } });
    expect(await post(gateway, shared, bodyFor("PNID1", "PNID2"))).toMatchObject({
      status: 200,
      body: { queued: 1 },
    });
    expect((await rowsOf(gateway)).map(({ tenantId }) => tenantId)).toEqual(["b"]);
    const metrics = await gateway.call("GET", "/admin/metrics", { headers: asAdmin });
    expect(metrics.text).toContain(
      'gateway_inbound_events_total{channel="phone_messenger",outcome="ignored_other_app"} 2',
    );
    expect(await post(gateway, `${shared}/PNID1`, bodyFor("PNID1"), own)).toMatchObject({
      status: 200,
      body: { queued: 1 },
    });
  });

  test("is taken for an account that was saved with the same secret", async () => {
    await using gateway = await startGateway(sqliteEngine);
    await save(gateway, "PNID1", appSecret);
    expect(await post(gateway, shared, bodyFor("PNID1"))).toMatchObject({ status: 200, body: { queued: 1 } });
  });
});

describe("handshakes", () => {
  const rows = entries.filter(({ input }) => input.method === "GET");
  test("of every entry of the corpus", async () => {
    await using gateway = await startGateway(sqliteEngine);
    for (const { id, input, expected } of rows) {
      const query = new URLSearchParams(
        Object.entries(input.query ?? {}).map(([name, value]) => [
          name,
          value === "right" ? verifyToken : value,
        ]),
      );
      const answer = await gateway.call("GET", `/webhooks/${input.channel}?${query}`);
      expect(answer.headers.get("x-y")).toBeNull();
      expect({ id, status: answer.status }).toEqual({ id, status: expected.startsWith("200") ? 200 : 403 });
      if (answer.status !== 200) continue;
      expect(answer.text).toBe(input.query?.["hub.challenge"] ?? "");
      expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  test("other channels echo a challenge, or say that they are well", async () => {
    await using gateway = await startGateway(sqliteEngine);
    expect((await gateway.call("GET", "/webhooks/bot_messenger/BOT1?hub.challenge=4")).text).toBe("4");
    expect((await gateway.call("GET", "/webhooks/echo")).body).toEqual({ status: "ok" });
  });
});

describe("addresses", () => {
  const rows = entries.filter(({ input }) => input.path !== undefined);
  test("of every entry of the corpus are 401 or 404", async () => {
    await using gateway = await startGateway(sqliteEngine);
    for (const { id, input } of rows) {
      const { status } = await gateway.call("POST", input.path ?? "", { body: "{}" });
      expect({ id, isRight: [401, 404].includes(status) }).toEqual({ id, isRight: true });
    }
    expect((await gateway.call("PUT", "/webhooks/echo")).status).toBe(405);
  });

  test("a channel that is not registered is 404, and the web chat takes no deliveries: 401", async () => {
    await using gateway = await startGateway(sqliteEngine, (deps) => ({
      ...deps,
      webhookSecrets: new Map([["webchat", {}]]),
    }));
    for (const channel of ["phone_messenger", "bot_messenger", "photo_social", "echo", "constructor"]) {
      expect((await deliver(gateway, channel as "echo", {})).status).toBe(404);
      expect((await gateway.call("GET", `/webhooks/${channel}`)).status).toBe(404);
    }
    expect((await gateway.call("POST", "/webhooks/webchat", { body: "{}" })).status).toBe(401);
  });

  test("a body over the provider's 3 MiB is 413", async () => {
    await using gateway = await startGateway(sqliteEngine);
    const answer = await gateway.call("POST", "/webhooks/echo/e1", { body: "x".repeat(3 * 1024 * 1024 + 1) });
    expect(answer.status).toBe(413);
  });
});

onEachEngine("deliveries", (engine) => {
  test("are stored once before the answer, each message for the tenant of its account", async () => {
    await using gateway = await startGateway(engine);
    await gateway.account("a", "phone_messenger", "PNID1");
    await gateway.account("b", "phone_messenger", "PNID2");
    const one = phoneDelivery([text("wamid.1"), text("wamid.2"), text("wamid.1")]);
    const both = { ...one, entry: [...one.entry, ...phoneDelivery([text("wamid.1")], "PNID2").entry] };
    expect((await deliver(gateway, "phone_messenger", both)).body).toEqual({ queued: 4 });
    expect((await deliver(gateway, "phone_messenger", both)).body).toEqual({ queued: 4 });
    const rows = await rowsOf(gateway);
    expect(rows.map(({ tenantId, channelMessageId }) => `${tenantId} ${channelMessageId}`).sort()).toEqual([
      "a wamid.1",
      "a wamid.2",
      "b wamid.1",
    ]);
  });

  test("of unknown accounts, objects and kinds are 200 and counted; a body that is not JSON is 400", async () => {
    await using gateway = await startGateway(engine);
    await gateway.account("a", "phone_messenger", "PNID1");
    const unknown = phoneDelivery([text("wamid.1")], "PNID9");
    expect((await deliver(gateway, "phone_messenger", unknown)).body).toEqual({ queued: 0 });
    expect((await deliver(gateway, "phone_messenger", { object: "page" })).body).toEqual({ queued: 0 });
    expect((await deliver(gateway, "phone_messenger", "{")).status).toBe(400);
    expect((await deliver(gateway, "photo_social", "nothing")).status).toBe(400);
    const metrics = (await gateway.call("GET", "/admin/metrics", { headers: asAdmin })).text;
    expect(metrics).toContain(
      'gateway_inbound_events_total{channel="phone_messenger",outcome="ignored_unknown_account"} 1',
    );
    expect(metrics).toContain('gateway_deliveries_total{channel="phone_messenger",outcome="unreadable"} 1');
    expect(await rowsOf(gateway)).toEqual([]);
  });

  test("beyond the queue are 503 with what is queued, and the rest is stored when it comes again", async () => {
    await using gateway = await startGateway(engine, (deps) => ({
      ...deps,
      inboundRoom: new InboundRoom(deps.storage, 4, new KnownOwners()),
    }));
    await gateway.account("a", "phone_messenger", "PNID1");
    await gateway.account("b", "phone_messenger", "PNID2");
    const five = phoneDelivery(["1", "2", "3", "4", "5"].map((id) => text(`wamid.${id}`)));
    const full = await deliver(gateway, "phone_messenger", five);
    // One account fills three quarters of the queue at most.
    expect([full.status, full.body]).toEqual([503, { queued: 3, total: 5 }]);
    expect(full.headers.get("retry-after")).toBe("60");
    expect(
      (await deliver(gateway, "phone_messenger", phoneDelivery([text("wamid.6")], "PNID2"))).body,
    ).toEqual({
      queued: 1,
    });
    await processAll(gateway);
    expect((await deliver(gateway, "phone_messenger", five)).body).toEqual({ queued: 5 });
    await processAll(gateway);
    expect(await rowsOf(gateway)).toHaveLength(6);
  });

  test("older than eight days are stored, and start nothing", async () => {
    await using gateway = await startGateway(engine);
    const account = await gateway.account("a", "phone_messenger", "PNID1");
    await bind(gateway, account);
    const old = { ...text("wamid.old"), timestamp: String(at - 8 * 24 * 3600 - 1) };
    expect((await deliver(gateway, "phone_messenger", phoneDelivery([old, text("wamid.new")]))).status).toBe(
      200,
    );
    await processAll(gateway);
    expect(gateway.platform.runs.map(({ request }) => request.context?.message_id)).toEqual(["wamid.new"]);
    expect((await rowsOf(gateway)).map(({ outcome }) => outcome).sort()).toEqual(["answered", "stale"]);
  });

  test("of echo take {from, text, id} at the account's address, or at that of the only account; others are 400", async () => {
    await using gateway = await startGateway(engine);
    const body = { from: "ana", text: "hi", id: "1" };
    expect((await deliver(gateway, "echo", body, { headers: {} })).status).toBe(400);
    await gateway.account("a", "echo", "e1");
    expect((await deliver(gateway, "echo", body, { headers: {} })).body).toEqual({ queued: 1 });
    expect((await deliver(gateway, "echo", body, { account: "e1", headers: {} })).body).toEqual({
      queued: 1,
    });
    expect(await rowsOf(gateway)).toHaveLength(1);
    expect((await deliver(gateway, "echo", { from: "ana" }, { account: "e1", headers: {} })).status).toBe(
      400,
    );
  });

  test("a batch of 10,000 messages is stored in part with 503, and completely when it is delivered again", async () => {
    await using gateway = await startGateway(engine);
    const account = await gateway.account("a", "phone_messenger", "PNID1");
    const messages = Array.from({ length: 10_000 }, (_, index) =>
      text(`wamid.${index}`, "x", `52${index % 40}0000000`),
    );
    const batch = phoneDelivery(messages);
    const first = await deliver(gateway, "phone_messenger", batch);
    expect([first.status, first.body]).toEqual([503, { queued: 7_500, total: 10_000 }]);
    const { storage } = gateway.deps;
    const { inbound } = storage.tables;
    await storage.transact((tx) =>
      tx
        .update(inbound)
        .set({ state: "done", lane: null })
        .where(eq(inbound.accountId, account))
        .returning({ id: inbound.id }),
    );
    expect((await deliver(gateway, "phone_messenger", batch)).body).toEqual({ queued: 10_000 });
    expect(await rowsOf(gateway)).toHaveLength(10_000);
  });
});

async function bind(gateway: TestGateway, accountId: string): Promise<void> {
  const { status } = await gateway.call("POST", "/admin/bindings", {
    headers: asAdmin,
    body: {
      tenant_id: "a",
      account_id: accountId,
      entry_agent: "support",
      config: { platform_api_key: "apk_test-key-0001" },
    },
  });
  expect(status).toBe(201);
}

test("the signature is made over the raw bytes", () => {
  expect(signed("phone_messenger", "{}")).not.toEqual(signed("phone_messenger", "{} "));
});
