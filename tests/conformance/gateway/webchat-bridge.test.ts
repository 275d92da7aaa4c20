import { describe, expect, test } from "bun:test";
import { createVisitorInbox } from "../../../src/compose/gateway/visitor-inbox.ts";
import { gatewayAdminClient } from "../../../src/contracts/gateway/client.ts";
import { KnownOwners } from "../../../src/kit/concurrency/known-owners.ts";
import { InboundRoom } from "../../../src/services/gateway/inbound/inbound-room.ts";
import { deliverMessage } from "../../../src/services/gateway/webchat/deliver-message.ts";
import { adminToken, asAdmin, processAll, startGateway, type TestGateway } from "../../support/gateway.ts";
import { onEachEngine, sqliteEngine } from "../../support/storage-engines.ts";

const inbound = (gateway: TestGateway, body: unknown) =>
  gateway.call("POST", "/admin/webchat/inbound", { headers: asAdmin, body: body as object });

const thread = (gateway: TestGateway, query: Record<string, string>) =>
  gateway.call("GET", `/admin/webchat/hilo?${new URLSearchParams(query)}`, { headers: asAdmin });

const ana = { cuenta: "shop", visitante: "ana" };

/** Puts an answer of the agent into a thread, as the outbox does. */
const answer = (
  { deps: { webchat, ...deps } }: TestGateway,
  accountId: string,
  token: string,
  text: string,
) => {
  if (webchat === undefined) throw new Error("The web chat is off.");
  return deliverMessage(
    { ...deps, bell: webchat.bell },
    { id: accountId, tenantId: "a" },
    { token, recipient: "ana", text },
  );
};

onEachEngine("the bridge of the web chat", (engine) => {
  test("takes visitors' messages and shows the thread with its answers, times strictly increasing", async () => {
    await using gateway = await startGateway(engine);
    const account = await gateway.account("a", "webchat", "shop");
    const said = await inbound(gateway, { ...ana, texto: "Hello" });
    expect(said.status).toBe(202);
    expect(said.body).toEqual({ encolado: true, channel_message_id: expect.any(String) });
    // The clock stands still, and then goes back.
    await answer(gateway, account, "m1", "Good morning");
    await answer(gateway, account, "m2", "How can I help?");
    const { status, body } = await thread(gateway, ana);
    expect(status).toBe(200);
    expect(body).toEqual({
      mensajes: [
        {
          id: said.body.channel_message_id,
          lado: "visitante",
          texto: "Hello",
          media: [],
          at: "2026-03-10T12:00:00.000Z",
        },
        { id: "m1", lado: "agente", texto: "Good morning", media: [], at: "2026-03-10T12:00:00.001Z" },
        { id: "m2", lado: "agente", texto: "How can I help?", media: [], at: "2026-03-10T12:00:00.002Z" },
      ],
    });
    const after = await thread(gateway, { ...ana, desde: body.mensajes[0].at });
    expect(after.body.mensajes.map(({ id }: { id: string }) => id)).toEqual(["m1", "m2"]);
    expect((await thread(gateway, { ...ana, desde: body.mensajes[2].at })).body).toEqual({ mensajes: [] });
    expect((await thread(gateway, { ...ana, visitante: "eva" })).body).toEqual({ mensajes: [] });
  });

  test("keeps times strictly increasing when messages come side by side", async () => {
    await using gateway = await startGateway(engine);
    const account = await gateway.account("a", "webchat", "shop");
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, (_, index) => inbound(gateway, { ...ana, texto: `in ${index}` })),
      ...Array.from({ length: 10 }, (_, index) => answer(gateway, account, `m${index}`, `out ${index}`)),
    ]);
    expect(
      answers.map((one) => ("status" in one ? String(one.status) : one.result.action)).toSorted(),
    ).toEqual([...Array<string>(10).fill("202"), ...Array<string>(10).fill("sent")]);
    const { body } = await thread(gateway, ana);
    const times = body.mensajes.map(({ at }: { at: string }) => at);
    expect(times).toHaveLength(20);
    expect(times).toEqual([...new Set(times)].toSorted());
  });

  test("gives the newest 200 without desde, and the next 200 with it", async () => {
    await using gateway = await startGateway(engine);
    const account = await gateway.account("a", "webchat", "shop");
    for (let count = 0; count < 203; count++) await answer(gateway, account, `m${count}`, `${count}`);
    const textsOf = (body: { mensajes: { texto: string }[] }) => body.mensajes.map(({ texto }) => texto);
    const newest = await thread(gateway, ana);
    expect([textsOf(newest.body).length, textsOf(newest.body)[0], textsOf(newest.body).at(-1)]).toEqual([
      200,
      "3",
      "202",
    ]);
    const first = await thread(gateway, { ...ana, desde: "1970-01-01T00:00:00Z" });
    expect([textsOf(first.body).length, textsOf(first.body)[0], textsOf(first.body).at(-1)]).toEqual([
      200,
      "0",
      "199",
    ]);
  });

  test("a repeated delivery of an answer appears in the thread once", async () => {
    await using gateway = await startGateway(engine);
    const account = await gateway.account("a", "webchat", "shop");
    const tries = [await answer(gateway, account, "m1", "Hi"), await answer(gateway, account, "m1", "Hi")];
    expect(tries.map(({ result }) => result.action)).toEqual(["sent", "sent"]);
    expect((await thread(gateway, ana)).body.mensajes).toHaveLength(1);
  });

  test("two accounts with the same visitor have separate threads; those of deleted accounts are 404", async () => {
    await using gateway = await startGateway(engine);
    const account = await gateway.account("a", "webchat", "shop");
    await gateway.account("b", "webchat", "other");
    await inbound(gateway, { ...ana, texto: "for a" });
    await inbound(gateway, { ...ana, cuenta: "other", texto: "for b" });
    const { body } = await thread(gateway, { ...ana, cuenta: "other" });
    expect(body.mensajes.map(({ texto }: { texto: string }) => texto)).toEqual(["for b"]);
    await gateway.call("DELETE", `/admin/accounts/${account}`, { headers: asAdmin });
    expect((await thread(gateway, ana)).status).toBe(404);
    await gateway.account("b", "webchat", "shop");
    expect((await thread(gateway, ana)).body).toEqual({ mensajes: [] });
  });

  test("hands messages on to the inbox, in the conversation of the visitor", async () => {
    await using gateway = await startGateway(engine);
    const account = await gateway.account("a", "webchat", "shop");
    await inbound(gateway, { ...ana, texto: "Hello" });
    const { body: said } = await inbound(gateway, { ...ana, texto: "Hello again" });
    await processAll(gateway);
    const { body } = await gateway.call("GET", "/admin/conversations?tenant=a", { headers: asAdmin });
    expect(body.conversations).toMatchObject([
      { channel: "webchat", external_user: "ana", session_id: `webchat__${account}__ana` },
    ]);
    const path = `/admin/conversations/${body.conversations[0].id}/messages`;
    const { messages } = (await gateway.call("GET", path, { headers: asAdmin })).body;
    expect(messages).toMatchObject([
      { direction: "inbound", text: "Hello" },
      { direction: "inbound", text: "Hello again", channel_message_id: said.channel_message_id },
    ]);
  });

  test("a message while the inbox is full is 503, and nothing of it is in the thread", async () => {
    await using gateway = await startGateway(engine, (deps) => {
      const inbox = createVisitorInbox({
        ...deps,
        inboundRoom: new InboundRoom(deps.storage, 3, new KnownOwners()),
      });
      return { ...deps, webchat: deps.webchat && { ...deps.webchat, inbox } };
    });
    await gateway.account("a", "webchat", "shop");
    expect((await inbound(gateway, { ...ana, texto: "one" })).status).toBe(202);
    expect((await inbound(gateway, { ...ana, texto: "two" })).status).toBe(202);
    const refused = await inbound(gateway, { ...ana, texto: "three" });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "60"]);
    expect((await thread(gateway, ana)).body.mensajes).toHaveLength(2);
    await processAll(gateway);
    expect((await inbound(gateway, { ...ana, texto: "three" })).status).toBe(202);
  });
});

describe("the bridge refuses", () => {
  const bodies: [string, unknown, number][] = [
    ["an unknown account", { ...ana, cuenta: "none", texto: "x" }, 404],
    ["an account of another channel", { ...ana, cuenta: "PN1", texto: "x" }, 404],
    ["a body without texto", ana, 400],
    ["an empty texto", { ...ana, texto: "" }, 400],
    ["a texto of white space", { ...ana, texto: " \n\t " }, 400],
    ["a texto that is not text", { ...ana, texto: 7 }, 400],
    ["a texto over 65536 characters", { ...ana, texto: "x".repeat(65_537) }, 400],
    ["a visitante with a line break", { ...ana, visitante: "a\nb", texto: "x" }, 400],
    ["a visitante over 200 characters", { ...ana, visitante: "a".repeat(201), texto: "x" }, 400],
    ["a blank visitante", { ...ana, visitante: " \u3000", texto: "x" }, 400],
    ["an empty visitante", { ...ana, visitante: "", texto: "x" }, 400],
    ["an unknown key", { ...ana, texto: "x", tenant_id: "b" }, 400],
    ["a NUL", '{"cuenta":"shop","visitante":"ana","texto":"a\\u0000b"}', 400],
    ["half a surrogate pair as visitante", '{"cuenta":"shop","visitante":"\\ud800","texto":"x"}', 400],
    ["a body that is not JSON", "{", 400],
    ["no body", undefined, 400],
  ];
  test.each(bodies)("%s", async (_name, body, status) => {
    await using gateway = await startGateway(sqliteEngine);
    await gateway.account("a", "webchat", "shop");
    await gateway.account("a", "phone_messenger", "PN1");
    const answered = await inbound(gateway, body);
    expect(answered.status).toBe(status);
    expect(Object.keys(answered.body)).toEqual(["error"]);
  });

  test.each([
    ["an unknown account", { ...ana, cuenta: "none" }, 404],
    ["no cuenta", { visitante: "ana" }, 400],
    ["no visitante", { cuenta: "shop" }, 400],
    ["a desde that is not an instant", { ...ana, desde: "yesterday" }, 400],
  ] as [string, Record<string, string>, number][])("a reading with %s", async (_name, query, status) => {
    await using gateway = await startGateway(sqliteEngine);
    await gateway.account("a", "webchat", "shop");
    const answered = await thread(gateway, query);
    expect([answered.status, Object.keys(answered.body)]).toEqual([status, ["error"]]);
  });
});

test("the operators' client calls the bridge", async () => {
  await using gateway = await startGateway(sqliteEngine);
  await gateway.account("a", "webchat", "shop");
  const client = gatewayAdminClient({ fetch: (request) => fetch(request), baseUrl: gateway.url }, adminToken);
  const { channel_message_id: id } = await client.webchatInbound({ ...ana, texto: "Hello" });
  const { mensajes } = await client.webchatThread(ana);
  expect(mensajes).toMatchObject([{ id, lado: "visitante", texto: "Hello" }]);
  expect(await client.webchatThread({ ...ana, desde: mensajes[0]?.at ?? "" })).toEqual({ mensajes: [] });
  const origins = ["https://shop.example"];
  expect(await client.saveWebchatSite("shop", { origins })).toEqual(await client.getWebchatSite("shop"));
});

describe("the origins of a site", () => {
  const path = "/admin/webchat/sites/shop";

  test("are none at first, and replaced as a whole", async () => {
    await using gateway = await startGateway(sqliteEngine);
    await gateway.account("a", "webchat", "shop");
    const read = async () => (await gateway.call("GET", path, { headers: asAdmin })).body;
    expect(await read()).toEqual({ cuenta: "shop", tenant_id: "a", origins: [] });
    const origins = ["https://shop.example", "HTTPS://Www.Shop.Example:443/", "http://localhost:3000"];
    const saved = await gateway.call("PUT", path, { headers: asAdmin, body: { origins } });
    expect(saved.status).toBe(200);
    const kept = ["https://shop.example", "https://www.shop.example", "http://localhost:3000"];
    expect(saved.body.origins).toEqual(kept);
    expect((await read()).origins).toEqual(kept);
    await gateway.call("PUT", path, { headers: asAdmin, body: { origins: [] } });
    expect((await read()).origins).toEqual([]);
  });

  test.each([
    "https://shop.example/path",
    "https://shop.example?x",
    "https://user@shop.example",
    "https://*.shop.example",
    "*",
    "null",
    "shop.example",
    "ftp://shop.example",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "https://",
  ])("can't be %s: 400", async (origin) => {
    await using gateway = await startGateway(sqliteEngine);
    await gateway.account("a", "webchat", "shop");
    const answered = await gateway.call("PUT", path, { headers: asAdmin, body: { origins: [origin] } });
    expect(answered.status).toBe(400);
    expect(answered.body.error).toContain("origins[0] must be an origin");
  });

  test("of an unknown account are 404, and more than 50 are 400", async () => {
    await using gateway = await startGateway(sqliteEngine);
    const body = { origins: [] };
    expect((await gateway.call("PUT", path, { headers: asAdmin, body })).status).toBe(404);
    expect((await gateway.call("GET", path, { headers: asAdmin })).status).toBe(404);
    await gateway.account("a", "webchat", "shop");
    const origins = Array.from({ length: 51 }, (_, index) => `https://s${index}.example`);
    const tooMany = await gateway.call("PUT", path, { headers: asAdmin, body: { origins } });
    expect(tooMany.status).toBe(400);
  });
});

test("without the web chat, all of its routes are 404", async () => {
  await using gateway = await startGateway(sqliteEngine, (deps) => ({ ...deps, webchat: undefined }));
  await gateway.account("a", "webchat", "shop");
  const calls = [
    ["POST", "/admin/webchat/inbound"],
    ["GET", "/admin/webchat/hilo?cuenta=shop&visitante=ana"],
    ["GET", "/admin/webchat/sites/shop"],
    ["POST", "/webchat/shop/session"],
    ["GET", "/webchat/shop/messages"],
    ["GET", "/webchat/shop/stream"],
    ["GET", "/webchat/widget.js"],
  ] as const;
  for (const [method, path] of calls) {
    const body = method === "POST" ? { ...ana, texto: "x" } : undefined;
    const answered = await gateway.call(method, path, { headers: asAdmin, ...(body && { body }) });
    expect({ path, status: answered.status }).toEqual({ path, status: 404 });
    expect(Object.keys(answered.body)).toEqual(["error"]);
  }
});
