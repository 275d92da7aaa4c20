import { describe, expect, test } from "bun:test";
import { createProviderTemplates } from "../../../src/channels/templates/provider-templates.ts";
import { asA, asAdmin, deliver, processAll, startGateway, type TestGateway } from "../../support/gateway.ts";
import { onEachEngine, sqliteEngine } from "../../support/storage-engines.ts";

const user = "5215550001111";
const hourMs = 60 * 60_000;

async function write(gateway: TestGateway, kind: object = { type: "text", text: { body: "hi" } }) {
  const value = {
    metadata: { phone_number_id: "PN1" },
    messages: [
      {
        id: `wamid.${Math.random()}`,
        from: user,
        timestamp: `${gateway.clock.now().getTime() / 1000}`,
        ...kind,
      },
    ],
  };
  await deliver(gateway, "phone_messenger", {
    object: "whatsapp_business_account",
    entry: [{ changes: [{ field: "messages", value }] }],
  });
  await processAll(gateway);
}

const admin = async (gateway: TestGateway, path: string) =>
  (await gateway.call("GET", `/admin${path}`, { headers: asAdmin })).body;

onEachEngine("the 24-hour window", (engine) => {
  test("is shown in list and conversation; outside it a free text is 409, a template or force 202", async () => {
    await using gateway = await startGateway(engine);
    await gateway.account("a", "phone_messenger", "PN1");
    await write(gateway);
    const [listed] = (await admin(gateway, "/conversations")).conversations;
    expect(listed.window_closes_at).toBe("2026-03-11T12:00:00.000Z");
    expect((await admin(gateway, `/conversations/${listed.id}`)).window_closes_at).toBe(
      listed.window_closes_at,
    );
    const send = async (
      body: object,
      path = "/api/v1/messages/send",
      headers: Record<string, string> = asA,
    ) =>
      (await gateway.call("POST", path, { headers, body: { conversation_ref: listed.id, ...body } })).status;
    await gateway.clock.advance(24 * hourMs - 1);
    expect(await send({ text: "x" })).toBe(202);
    await gateway.clock.advance(1);
    const refused = await gateway.call("POST", "/api/v1/messages/send", {
      headers: asA,
      body: { conversation_ref: listed.id, text: "x" },
    });
    expect(refused).toMatchObject({ status: 409, body: { error: expect.stringContaining("too long ago") } });
    expect(await send({ tenant_id: "a", text: "x" }, "/admin/send", asAdmin)).toBe(409);
    expect(await send({ media: [{ kind: "image", url: "https://a.example/x.png" }] })).toBe(409);
    expect(await send({ text: "x", force: true })).toBe(202);
    expect(await send({ template: { name: "hello_world", language: "en_US" } })).toBe(202);
    await write(gateway, { type: "reaction", reaction: { message_id: "wamid.0", emoji: "👍" } });
    expect(await send({ text: "x" })).toBe(409);
    await write(gateway);
    expect(await send({ text: "x" })).toBe(202);
  });
});

test("channels without a window show none, and take free text at any time", async () => {
  await using gateway = await startGateway(sqliteEngine);
  await gateway.account("a", "echo", "e1");
  await deliver(gateway, "echo", { from: "ana", text: "hi", id: "1" }, { account: "e1", headers: {} });
  await processAll(gateway);
  await gateway.clock.advance(48 * hourMs);
  const [listed] = (await admin(gateway, "/conversations")).conversations;
  expect(listed).not.toHaveProperty("window_closes_at");
  const body = { conversation_ref: listed.id, text: "x" };
  expect((await gateway.call("POST", "/api/v1/messages/send", { headers: asA, body })).status).toBe(202);
});

const components = [
  { type: "header", parameters: [{ type: "image", image: { link: "https://a.example/x.png" } }] },
  { type: "body", parameters: [{ type: "text", text: "Ana" }] },
  { type: "button", sub_type: "quick_reply", index: "0", parameters: [{ type: "payload", payload: "YES" }] },
];

describe("a template", () => {
  test.each([
    [{ params: ["a"] }, 202],
    [{ params: { nombre: "Ana" } }, 202],
    [{ components }, 202],
    [{ components, params: ["a"] }, 400],
    [{ components: [{ parameters: [] }] }, 400],
    [{ components: [{ type: "body", text: "x".repeat(40_000) }] }, 400],
    [{ params: { nombre: 1 } }, 400],
  ])("%j: %d", async (more, status) => {
    await using gateway = await startGateway(sqliteEngine);
    await gateway.account("a", "phone_messenger", "PN1");
    const template = { name: "cita", language: "es_MX", ...more };
    const body = { channel: "phone_messenger", recipient: user, template };
    const sent = await gateway.call("POST", "/api/v1/messages/send", { headers: asA, body });
    expect(sent.status).toBe(status);
    if (status !== 202) return;
    expect((await admin(gateway, "/outbox")).entries[0].payload.template).toEqual(template);
    const [{ id }] = (await admin(gateway, "/conversations")).conversations;
    const [message] = (await admin(gateway, `/conversations/${id}/messages`)).messages;
    expect(message.text).toMatch(/^\[template cita, es_MX: (a|Ana)\]$/);
  });

  test("is listed as the provider has it, with its placeholders and a preview", async () => {
    const asked: string[] = [];
    const answers: Record<string, object> = {
      "/v1/PN1": { whatsapp_business_account: { id: "WABA" }, id: "PN1" },
      "/v1/WABA/message_templates": {
        data: [
          {
            name: "cita",
            language: "es_MX",
            status: "APPROVED",
            category: "UTILITY",
            parameter_format: "NAMED",
            components: [
              { type: "HEADER", format: "IMAGE" },
              { type: "BODY", text: "Hola {{nombre}}, nos vemos {{cuando}}." },
              { type: "FOOTER", text: "Gracias" },
              { type: "BUTTONS", buttons: [{ type: "URL", text: "Ver", url: "https://a.example/{{1}}" }] },
            ],
          },
          { language: "es_MX" },
        ],
      },
    };
    const network = {
      request: async ({ url, headers }: { url: string; headers: Readonly<Record<string, string>> }) => {
        expect(headers.authorization).toBe("Bearer EAAG-access-token-7890");
        const { pathname } = new URL(url);
        asked.push(pathname);
        const answer = answers[pathname] ?? { error: { code: 100, message: "no" } };
        return { status: 200, headers: new Headers(), body: Buffer.from(JSON.stringify(answer)) };
      },
    };
    await using gateway = await startGateway(sqliteEngine, (deps) => ({
      ...deps,
      templates: createProviderTemplates(network, "https://graph.example/v1"),
    }));
    const account = await gateway.account("a", "phone_messenger", "PN1");
    expect(await admin(gateway, `/templates?account_id=${account}`)).toEqual({
      templates: [
        {
          name: "cita",
          language: "es_MX",
          status: "APPROVED",
          category: "UTILITY",
          params: [
            { in: "body", name: "nombre" },
            { in: "body", name: "cuando" },
            { in: "button", name: "1" },
          ],
          preview: "[image]\nHola {{nombre}}, nos vemos {{cuando}}.\nGracias\n[Ver]",
          components: expect.any(Array),
        },
      ],
    });
    const other = await gateway.account("a", "phone_messenger", "PN2");
    const refused = await gateway.call("GET", `/admin/templates?account_id=${other}`, { headers: asAdmin });
    expect(refused).toMatchObject({ status: 502, body: { error: expect.stringContaining("100") } });
    const bot = await gateway.account("a", "bot_messenger", "bot");
    expect(await admin(gateway, `/templates?account_id=${bot}`)).toEqual({ templates: [] });
    expect((await gateway.call("GET", "/admin/templates?account_id=none", { headers: asAdmin })).status).toBe(
      404,
    );
  });
});
