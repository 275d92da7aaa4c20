import { describe, expect, test } from "bun:test";
import { deliverMessage } from "../../../src/services/gateway/webchat/deliver-message.ts";
import { visitorLimits } from "../../../src/services/gateway/webchat/visitor-limits.ts";
import { asAdmin, processAll, startGateway, type TestGateway } from "../../support/gateway.ts";
import { onEachEngine, sqliteEngine } from "../../support/storage-engines.ts";
import { openSite, shopOrigin, sitePage } from "../../support/webchat.ts";

/** Puts an answer into a visitor's thread, as the outbox does. */
async function answer(
  { deps: { webchat, ...deps } }: TestGateway,
  accountId: string,
  recipient: string,
  text: string,
): Promise<void> {
  if (webchat === undefined) throw new Error("The web chat is off.");
  const ports = { ...deps, bell: webchat.bell };
  await deliverMessage(ports, { id: accountId, tenantId: "a" }, { token: deps.newId(), recipient, text });
}

/** Returns the address of the only visitor of an account, as operators see it. */
async function onlyVisitor(gateway: TestGateway): Promise<string> {
  await processAll(gateway);
  const { body } = await gateway.call("GET", "/admin/conversations", { headers: asAdmin });
  expect(body.conversations).toHaveLength(1);
  return body.conversations[0].external_user;
}

const textsOf = (answered: { body: { mensajes: { texto: string }[] } }) =>
  answered.body.mensajes.map(({ texto }) => texto);

onEachEngine("a visitor", (engine) => {
  test("writes, reads and follows the thread, and resumes after the last message", async () => {
    await using gateway = await startGateway(engine);
    const account = await openSite(gateway);
    const page = sitePage(gateway.url);
    const token = await page.begin();
    const said = await page.say(token, "Hello", "m-1");
    expect(said.status).toBe(202);
    expect(said.body).toEqual({
      encolado: true,
      mensaje: {
        id: expect.any(String),
        lado: "visitante",
        texto: "Hello",
        media: [],
        at: "2026-03-10T12:00:00.000Z",
        ref: "m-1",
      },
    });
    await using stream = await page.stream(token);
    expect(stream.response.headers.get("content-type")).toBe("text/event-stream");
    expect(await stream.next()).toEqual({
      event: "message",
      id: "2026-03-10T12:00:00.000Z",
      data: JSON.stringify(said.body.mensaje),
    });
    expect(await stream.next()).toMatchObject({ event: "open" });
    const visitor = await onlyVisitor(gateway);
    await answer(gateway, account, visitor, "Good morning");
    const event = await stream.next();
    expect(JSON.parse(event?.data ?? "")).toMatchObject({ lado: "agente", texto: "Good morning" });
    await answer(gateway, account, visitor, "How can I help?");
    expect(textsOf(await page.read(token, event?.id))).toEqual(["How can I help?"]);
    await using resumed = await page.stream(token, "", { "last-event-id": event?.id ?? "" });
    expect(JSON.parse((await resumed.next())?.data ?? "")).toMatchObject({ texto: "How can I help?" });
    expect(await resumed.next()).toMatchObject({ event: "open" });
    await using other = await page.stream(token, `?desde=${event?.id}`);
    expect(JSON.parse((await other.next())?.data ?? "")).toMatchObject({ texto: "How can I help?" });
  });

  test("has a message accepted once, however often it is sent under one ref", async () => {
    await using gateway = await startGateway(engine);
    await openSite(gateway);
    const page = sitePage(gateway.url);
    const token = await page.begin();
    const answers = await Promise.all(Array.from({ length: 8 }, () => page.say(token, "Hello", "m-1")));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(8).fill(202));
    expect(new Set(answers.map(({ body }) => body.mensaje.id)).size).toBe(1);
    expect(textsOf(await page.read(token))).toEqual(["Hello"]);
    const changed = await page.say(token, "Goodbye", "m-1");
    expect([changed.status, Object.keys(changed.body)]).toEqual([409, ["error"]]);
    expect((await page.say(token, "Hello")).status).toBe(202);
    expect(textsOf(await page.read(token))).toEqual(["Hello", "Hello"]);
  });

  test("reads no thread but the own", async () => {
    await using gateway = await startGateway(engine);
    await openSite(gateway);
    await openSite(gateway, "b", "other");
    const page = sitePage(gateway.url);
    const other = sitePage(gateway.url, "other");
    const [ana, eva, foreign] = [await page.begin(), await page.begin(), await other.begin()];
    await page.say(ana, "from Ana");
    await page.say(eva, "from Eva");
    await other.say(foreign, "to another shop");
    expect(textsOf(await page.read(ana))).toEqual(["from Ana"]);
    expect(textsOf(await page.read(eva))).toEqual(["from Eva"]);
    expect(textsOf(await other.read(foreign))).toEqual(["to another shop"]);
    const crossed = await Promise.all([
      page.read(foreign),
      other.read(ana),
      other.say(ana, "x"),
      other.call("GET", "/stream", { token: ana }),
      other.call("POST", "/session", { token: ana }),
    ]);
    expect(crossed.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
  });
});

describe("a visitor's token", () => {
  test("lasts 30 days and is then 401; a renewed one keeps the same thread", async () => {
    await using gateway = await startGateway(sqliteEngine);
    await openSite(gateway);
    const page = sitePage(gateway.url);
    const begun = await page.call("POST", "/session");
    expect(begun.body).toEqual({ token: expect.any(String), expires_at: "2026-04-09T12:00:00.000Z" });
    expect(begun.headers.get("cache-control")).toBe("no-store");
    await page.say(begun.body.token, "Hello");
    await gateway.clock.advance(29 * 86_400_000);
    const renewed = await page.call("POST", "/session", { token: begun.body.token });
    expect(renewed.status).toBe(201);
    await gateway.clock.advance(2 * 86_400_000);
    expect((await page.read(begun.body.token)).status).toBe(401);
    expect((await page.call("POST", "/session", { token: begun.body.token })).status).toBe(401);
    expect(textsOf(await page.read(renewed.body.token))).toEqual(["Hello"]);
  });

  test("of a deleted account is 401 at the next account of that name", async () => {
    await using gateway = await startGateway(sqliteEngine);
    const account = await openSite(gateway);
    const page = sitePage(gateway.url);
    const token = await page.begin();
    await gateway.call("DELETE", `/admin/accounts/${account}`, { headers: asAdmin });
    expect((await page.read(token)).status).toBe(403);
    await openSite(gateway, "b");
    expect((await page.read(token)).status).toBe(401);
  });

  test("is refused when it is changed, unsigned, of another kind or missing: 401", async () => {
    await using gateway = await startGateway(sqliteEngine);
    await openSite(gateway);
    const page = sitePage(gateway.url);
    const token = await page.begin();
    const [head = "", claims = "", signature = ""] = token.split(".");
    const none = Buffer.from('{"alg":"none","kid":"k1","typ":"JWT"}').toString("base64url");
    const changed = Buffer.from(
      Buffer.from(claims, "base64url").toString().replace("visitor-", "visitor-0"),
    ).toString("base64url");
    const forged = [
      `${head}.${changed}.${signature}`,
      `${none}.${claims}.`,
      `${head}.${claims}.`,
      `${head}.${claims}.${signature.slice(0, -2)}`,
      "visitor-1",
      "x".repeat(5_000),
    ];
    for (const sent of forged) {
      for (const [method, path] of [
        ["GET", "/messages"],
        ["GET", "/stream"],
        ["POST", "/messages"],
        ["POST", "/session"],
      ] as const) {
        const body = method === "POST" && path === "/messages" ? { texto: "x" } : undefined;
        const { status } = await page.call(method, path, { token: sent, body });
        expect({ sent: sent.slice(0, 40), method, path, status }).toMatchObject({ status: 401 });
      }
    }
    const missing = await page.call("GET", "/messages");
    expect([missing.status, Object.keys(missing.body)]).toEqual([401, ["error"]]);
    expect((await page.call("GET", "/messages", { headers: { authorization: token } })).status).toBe(401);
  });
});

describe("pages", () => {
  const paths = [
    ["POST", "/session"],
    ["GET", "/messages"],
    ["POST", "/messages"],
    ["GET", "/stream"],
  ] as const;

  test("of an allowed origin get the CORS headers for just that origin, in refusals too", async () => {
    await using gateway = await startGateway(sqliteEngine);
    await openSite(gateway, "a", "shop", [shopOrigin, "https://www.shop.example"]);
    for (const origin of [shopOrigin, "https://www.shop.example"]) {
      const page = sitePage(gateway.url, "shop", origin);
      for (const path of ["/session", "/messages", "/stream"]) {
        const { status, headers, text } = await page.call("OPTIONS", path, {
          headers: { "access-control-request-method": "POST" },
        });
        expect([status, text]).toEqual([204, ""]);
        expect(headers.get("access-control-allow-origin")).toBe(origin);
        expect(headers.get("access-control-allow-methods")).toBe("GET, POST");
        expect(headers.get("access-control-allow-headers")).toContain("authorization");
        expect(headers.get("vary")?.toLowerCase()).toContain("origin");
      }
      const answered = [
        await page.call("POST", "/session"),
        await page.call("GET", "/messages"),
        await page.call("POST", "/messages", { token: await page.begin(), body: {} }),
        await page.call("POST", "/messages", { token: await page.begin(), body: "{" }),
        await page.call("POST", "/messages", {
          token: await page.begin(),
          body: { texto: "x".repeat(40_000) },
        }),
      ];
      expect(answered.map(({ status }) => status)).toEqual([201, 401, 400, 400, 413]);
      for (const { headers } of answered) {
        expect(headers.get("access-control-allow-origin")).toBe(origin);
        expect(headers.get("access-control-allow-credentials")).toBeNull();
        expect(headers.get("access-control-expose-headers")).toBe("retry-after");
      }
      await using stream = await page.stream(await page.begin());
      expect(stream.response.headers.get("access-control-allow-origin")).toBe(origin);
    }
  });

  test("of other origins, or of none, are refused without CORS headers: 403", async () => {
    await using gateway = await startGateway(sqliteEngine);
    await openSite(gateway);
    await gateway.account("a", "webchat", "closed");
    const token = await sitePage(gateway.url).begin();
    const origins = [
      "https://evil.example",
      "http://shop.example",
      "https://shop.example:8443",
      "https://shop.example.evil.example",
      "https://SHOP.example",
      "null",
      "",
      null,
    ];
    const pages = [
      ...origins.map((origin) => sitePage(gateway.url, "shop", origin)),
      // An account without origins, and one that doesn't exist.
      sitePage(gateway.url, "closed"),
      sitePage(gateway.url, "missing"),
    ];
    for (const page of pages) {
      for (const [method, path] of [...paths, ["OPTIONS", "/messages"] as const]) {
        const body = method === "POST" ? { texto: "x" } : undefined;
        const refused = await page.call(method, path, { token, body });
        expect({ method, path, status: refused.status }).toEqual({ method, path, status: 403 });
        expect(refused.headers.get("access-control-allow-origin")).toBeNull();
        if (method !== "OPTIONS") expect(Object.keys(refused.body)).toEqual(["error"]);
      }
    }
    const [closed, missing] = await Promise.all(
      ["closed", "missing"].map((account) => sitePage(gateway.url, account).call("POST", "/session")),
    );
    expect(closed?.text.replaceAll("closed", "X")).toBe(missing?.text.replaceAll("missing", "X") ?? "");
  });

  test("of the gateway's own site, whose GET requests name no origin, are known by their host; other sites are 403", async () => {
    await using gateway = await startGateway(sqliteEngine);
    await openSite(gateway, "a", "shop", [gateway.url]);
    const own = sitePage(gateway.url, "shop", gateway.url);
    const token = await own.begin();
    const read = (site: string) =>
      fetch(`${gateway.url}/webchat/shop/messages`, {
        headers: { authorization: `Bearer ${token}`, "sec-fetch-site": site },
      });
    expect((await read("same-origin")).status).toBe(200);
    expect((await read("cross-site")).status).toBe(403);
    expect((await read("none")).status).toBe(403);
  });

  test("lose their access when the operator removes their origin: 403", async () => {
    await using gateway = await startGateway(sqliteEngine);
    await openSite(gateway);
    const page = sitePage(gateway.url);
    const token = await page.begin();
    const path = "/admin/webchat/sites/shop";
    await gateway.call("PUT", path, { headers: asAdmin, body: { origins: [] } });
    expect((await page.read(token)).status).toBe(403);
  });
});

describe("a visitor's message is refused", () => {
  test.each([
    ["without texto", {}, 400],
    ["with an empty texto", { texto: "" }, 400],
    ["of white space", { texto: "   " }, 400],
    ["of 4097 characters", { texto: "x".repeat(4097) }, 400],
    ["of over 32 KiB", { texto: "x".repeat(33_000) }, 413],
    ["with an unknown key", { texto: "x", tenant_id: "b" }, 400],
    ["for another visitor", { texto: "x", visitante: "ana" }, 400],
    ["with a ref of other characters", { texto: "x", ref: "a b" }, 400],
    ["with a ref of 65 characters", { texto: "x", ref: "r".repeat(65) }, 400],
    ["with NUL", '{"texto":"a\\u0000b"}', 400],
    ["that is not an object", "[]", 400],
    ["without a body", undefined, 400],
  ] as [string, unknown, number][])("%s", async (_name, body, status) => {
    await using gateway = await startGateway(sqliteEngine);
    await openSite(gateway);
    const page = sitePage(gateway.url);
    const token = await page.begin();
    const refused = await page.call("POST", "/messages", { token, body });
    expect([refused.status, Object.keys(refused.body)]).toEqual([status, ["error"]]);
    expect(textsOf(await page.read(token))).toEqual([]);
  });

  test("when it is not declared as JSON: 415", async () => {
    await using gateway = await startGateway(sqliteEngine);
    await openSite(gateway);
    const page = sitePage(gateway.url);
    const token = await page.begin();
    const headers = { "content-type": "text/plain" };
    const refused = await page.call("POST", "/messages", { token, body: '{"texto":"x"}', headers });
    expect(refused.status).toBe(415);
  });

  test("when the inbox is full: 503 with Retry-After, and nothing is stored", async () => {
    await using gateway = await startGateway(sqliteEngine);
    await openSite(gateway);
    const page = sitePage(gateway.url);
    const token = await page.begin();
    const { webchat } = gateway.deps;
    if (webchat === undefined) throw new Error("The web chat is off.");
    const { AppError } = await import("../../../src/kit/app-error.ts");
    const accept = webchat.inbox.accept;
    webchat.inbox.accept = async () => {
      throw new AppError("unavailable", "too_busy", "The inbox is full.", {
        details: { retryAfterSeconds: 5 },
      });
    };
    const refused = await page.say(token, "Hello", "m-1");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(textsOf(await page.read(token))).toEqual([]);
    webchat.inbox.accept = accept;
    expect((await page.say(token, "Hello", "m-1")).status).toBe(202);
  });
});

describe("limits", () => {
  test("of one visitor leave the other visitors alone, and end after a minute: 429 with Retry-After", async () => {
    await using gateway = await startGateway(sqliteEngine);
    await openSite(gateway);
    const page = sitePage(gateway.url);
    const [noisy, quiet] = [await page.begin(), await page.begin()];
    const { messagesOfVisitor } = visitorLimits;
    for (let count = 0; count < messagesOfVisitor; count++) {
      expect((await page.say(noisy, "x")).status).toBe(202);
    }
    await gateway.clock.advance(20_000);
    const refused = await page.say(noisy, "x");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "40"]);
    expect(refused.headers.get("access-control-allow-origin")).toBe(shopOrigin);
    expect((await page.say(quiet, "x")).status).toBe(202);
    await gateway.clock.advance(40_000);
    expect((await page.say(noisy, "x")).status).toBe(202);
  });

  test("of one account are 429 and don't affect other accounts", async () => {
    await using gateway = await startGateway(sqliteEngine);
    const account = await openSite(gateway);
    await openSite(gateway, "b", "other");
    const page = sitePage(gateway.url);
    const token = await page.begin();
    const { messagesOfAccount } = visitorLimits;
    for (let count = 0; count < messagesOfAccount; count++) {
      gateway.deps.webchat?.limits.takeMessage(account, `visitor ${count}`, `caller ${count}`);
    }
    expect((await page.say(token, "x")).status).toBe(429);
    const other = sitePage(gateway.url, "other");
    expect((await other.say(await other.begin(), "x")).status).toBe(202);
  });

  test("of new visitors from one address: one more is 429", async () => {
    await using gateway = await startGateway(sqliteEngine);
    await openSite(gateway);
    await openSite(gateway, "b", "other");
    const page = sitePage(gateway.url);
    const token = await page.begin();
    for (let count = 1; count < visitorLimits.visitorsOfAddress; count++) await page.begin();
    const refused = await page.call("POST", "/session");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    // A visitor who is known is not new, and another site has limits of its own.
    expect((await page.call("POST", "/session", { token })).status).toBe(201);
    expect((await sitePage(gateway.url, "other").call("POST", "/session")).status).toBe(201);
  });

  test("of readings are 429 beyond the limit", async () => {
    await using gateway = await startGateway(sqliteEngine);
    await openSite(gateway);
    const page = sitePage(gateway.url);
    const token = await page.begin();
    for (let count = 0; count < visitorLimits.readsOfVisitor; count++) await page.read(token);
    expect((await page.read(token)).status).toBe(429);
  });

  test("of open streams: one more is 429, and those that end free their place", async () => {
    await using gateway = await startGateway(sqliteEngine);
    const account = await openSite(gateway);
    const page = sitePage(gateway.url);
    const token = await page.begin();
    const { streamsOfVisitor, streamsOfAccount } = visitorLimits;
    const streams = await Promise.all(Array.from({ length: streamsOfVisitor }, () => page.stream(token)));
    for (const stream of streams) expect(await stream.next()).toMatchObject({ event: "open" });
    await using refused = await page.stream(token);
    expect(refused.response.status).toBe(429);
    await streams[0]?.[Symbol.asyncDispose]();
    const bell = gateway.deps.webchat?.bell;
    while (bell?.watches !== streamsOfVisitor - 1) await new Promise(setImmediate);
    await using another = await page.stream(token);
    expect(another.response.status).toBe(200);
    await Promise.all(streams.map((stream) => stream[Symbol.asyncDispose]()));
    const limits = gateway.deps.webchat?.limits;
    await another[Symbol.asyncDispose]();
    while (bell?.watches !== 0) await new Promise(setImmediate);
    for (let count = 0; count < streamsOfAccount; count++)
      limits?.openStream(account, `visitor ${count}`, `caller ${count}`);
    await using full = await page.stream(token);
    expect(full.response.status).toBe(429);
  });
});

describe("a stream", () => {
  test("pings while it is silent, and ends after an hour", async () => {
    await using gateway = await startGateway(sqliteEngine);
    await openSite(gateway);
    const page = sitePage(gateway.url);
    await using stream = await page.stream(await page.begin());
    expect(await stream.next()).toMatchObject({ event: "open" });
    await gateway.clock.advance(60 * 60_000);
    expect(await stream.next()).toBeUndefined();
    expect(gateway.deps.webchat?.bell.watches).toBe(0);
  });

  test("answers HEAD like GET: 401 without a token, 429 beyond the limit; HEAD takes no place", async () => {
    await using gateway = await startGateway(sqliteEngine);
    const account = await openSite(gateway);
    const page = sitePage(gateway.url);
    const token = await page.begin();
    for (let count = 0; count < visitorLimits.streamsOfVisitor * 2; count++) {
      const head = await page.call("HEAD", "/stream", { token });
      expect([head.status, head.headers.get("content-type"), head.text]).toEqual([
        200,
        "text/event-stream",
        "",
      ]);
    }
    expect(gateway.deps.webchat?.bell.watches).toBe(0);
    expect((await page.call("HEAD", "/stream", {})).status).toBe(401);
    const limits = gateway.deps.webchat?.limits;
    for (let count = 0; count < visitorLimits.streamsOfAccount; count++)
      limits?.openStream(account, `visitor ${count}`, `caller ${count}`);
    expect((await page.call("HEAD", "/stream", { token })).status).toBe(429);
    const events = await gateway.call("HEAD", "/admin/events", { headers: asAdmin });
    expect([events.status, events.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
  });

  test("refuses a desde that is not an instant: 400", async () => {
    await using gateway = await startGateway(sqliteEngine);
    await openSite(gateway);
    const page = sitePage(gateway.url);
    const token = await page.begin();
    expect((await page.call("GET", "/stream?desde=now", { token })).status).toBe(400);
    expect((await page.call("GET", "/messages?desde=now", { token })).status).toBe(400);
  });
});
