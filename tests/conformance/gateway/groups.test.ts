import { expect, test } from "bun:test";
import { gatewayAdminClient } from "../../../src/contracts/gateway/client.ts";
import { adminToken, answered, asAdmin, deliver, processAll, startGateway } from "../../support/gateway.ts";
import { onEachEngine, sqliteEngine, type TestEngine } from "../../support/storage-engines.ts";

const chat = { id: -1005551112222, type: "supergroup", title: "Soporte", is_forum: true };
const topic = (thread: number) => ({ message_thread_id: thread, is_topic_message: true });
const mention = (name: string) => ({
  text: `@${name} hola`,
  entities: [{ type: "mention", offset: 0, length: name.length + 1 }],
});

async function startBound(engine: TestEngine, config: object = {}, ownName?: string) {
  const gateway = await startGateway(engine, (deps) => ({ ...deps, names: { nameOf: async () => ownName } }));
  const account = await gateway.account("a", "bot_messenger", "bot");
  const body = {
    tenant_id: "a",
    account_id: account,
    entry_agent: "support",
    config: { platform_api_key: "apk_test-key-0001", ...config },
  };
  const bound = await gateway.call("POST", "/admin/bindings", { headers: asAdmin, body });
  expect(bound.status).toBe(201);
  let updates = 0;
  const { outbox, inbound } = gateway.deps.storage.tables;
  return {
    gateway,
    async write(message: object, from = "Ana") {
      const id = ++updates;
      const update = {
        update_id: id,
        message: {
          message_id: id,
          from: { id: from.length, first_name: from },
          chat,
          date: 1773144000,
          text: "hola",
          ...message,
        },
      };
      await deliver(gateway, "bot_messenger", update, { account: "bot" });
      await processAll(gateway);
    },
    sent: async () =>
      (await gateway.deps.storage.read.select().from(outbox).orderBy(outbox.id)).map(
        ({ recipient, payload }) => [recipient, payload.text],
      ),
    outcomes: async () =>
      (await gateway.deps.storage.read.select().from(inbound).orderBy(inbound.id)).map(
        ({ outcome }) => outcome,
      ),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
}

onEachEngine("a group", (engine) => {
  test("has a conversation for each topic, whose answers go to it; texts say who speaks", async () => {
    await using world = await startBound(engine, { groups: "all" });
    await world.write({ ...topic(42), text: "uno" });
    await world.write({ ...topic(57), text: "dos" }, "Beto");
    await world.write({ message_thread_id: 1, text: "tres" }, "Beto");
    expect(await world.sent()).toEqual([
      ["-1005551112222/42", "ANA: UNO"],
      ["-1005551112222/57", "BETO: DOS"],
      ["-1005551112222", "BETO: TRES"],
    ]);
    const [, , first] = world.gateway.platform.runs.toReversed();
    expect(first?.request).toMatchObject({
      query: "Ana: uno",
      context: { contact_name: "Ana", group: "Soporte", sender: "-1005551112222/42" },
    });
    const { conversations } = (await world.gateway.call("GET", "/admin/conversations", { headers: asAdmin }))
      .body;
    expect(conversations).toHaveLength(3);
    for (const { contact_name } of conversations) expect(contact_name).toBe("Soporte");
    const last = conversations.find((one: { external_user: string }) => one.external_user.endsWith("/57"));
    const { messages } = (
      await world.gateway.call("GET", `/admin/conversations/${last.id}/messages`, { headers: asAdmin })
    ).body;
    expect(messages[0].text).toBe("Beto: dos");
  });
});

const cases: [
  what: string,
  config: object,
  ownName: string | undefined,
  message: object,
  isAnswered: boolean,
][] = [
  ["an ordinary message", {}, "shop_bot", {}, false],
  ["a mention", {}, "Shop_Bot", mention("shop_bot"), true],
  ["a mention of another bot", {}, "shop_bot", mention("other_bot"), false],
  ["a mention of a bot, while our name is unknown", {}, undefined, mention("other_bot"), true],
  ["a mention of a person, while our name is unknown", {}, undefined, mention("ana"), false],
  [
    "a reply to us",
    {},
    undefined,
    { reply_to_message: { message_id: 1, from: { id: 123456, is_bot: true } } },
    true,
  ],
  [
    "a reply to another bot",
    {},
    undefined,
    { reply_to_message: { message_id: 1, from: { id: 9, is_bot: true } } },
    false,
  ],
  [
    "a command",
    {},
    undefined,
    { text: "/help", entities: [{ type: "bot_command", offset: 0, length: 5 }] },
    true,
  ],
  ["an ordinary message, where all are answered", { groups: "all" }, undefined, {}, true],
  ["a mention, where none is answered", { groups: "none" }, "shop_bot", mention("shop_bot"), false],
  [
    "an ordinary message in private",
    { groups: "none" },
    undefined,
    { chat: { id: 77001, type: "private" } },
    true,
  ],
];
test.each(cases)("%s: %j, named %p", async (_, config, ownName, message, isAnswered) => {
  await using world = await startBound(sqliteEngine, config, ownName);
  await world.write(message);
  expect(await world.outcomes()).toEqual([isAnswered ? "answered" : "unaddressed"]);
  expect(world.gateway.platform.runs).toHaveLength(isAnswered ? 1 : 0);
});

onEachEngine("a person who is forgotten", (engine) => {
  test("leaves no message, file or word in groups; others' messages and words stay", async () => {
    await using world = await startBound(engine, { groups: "all" });
    const { gateway } = world;
    gateway.platform.answers = () => answered("Good.");
    await world.write({ text: "my code is zxqwv and blue" });
    await world.write({ text: "mine is blue too" }, "Beto");
    await world.write({ text: "hi", chat: { id: 3, type: "private" } });
    const address = { fetch: (request: Request) => fetch(request), baseUrl: gateway.url };
    const client = gatewayAdminClient(address, adminToken);
    const person = (await client.listContacts({ q: "Ana" })).contacts.find(
      ({ addresses }) => addresses[0]?.value === "3",
    );
    const sessions = (await client.listConversations()).conversations.map(({ session_id }) => session_id);
    expect(await client.forgetContact(person?.id ?? "")).toMatchObject({ deleted: true, pending: false });
    const rows = await Promise.all(
      Object.values(gateway.deps.storage.tables).map((table) =>
        gateway.deps.storage.read.select().from(table as never),
      ),
    );
    // The answers of the agent are its own words.
    const left = JSON.stringify(rows);
    expect([left.includes("my code is"), left.includes('"zxqwv"')]).toEqual([false, false]);
    expect((await client.listConversations({ q: "zxqwv" })).total).toBe(0);
    expect((await client.listConversations({ q: "blue" })).total).toBe(1);
    const [group] = (await client.listConversations({ q: "too" })).conversations;
    const texts = (await client.listMessages(group?.id ?? "")).messages.map(({ text }) => text);
    expect(texts.filter((text) => text.startsWith("Beto"))).toEqual(["Beto: mine is blue too"]);
    expect(gateway.sessions.orders.map(({ sessionId }) => sessionId).sort()).toEqual(sessions.sort());
  });
});

test("config.groups takes addressed, all and none only: anything else is 400", async () => {
  await using gateway = await startGateway(sqliteEngine);
  const account = await gateway.account("a", "bot_messenger", "bot");
  for (const config of [{ groups: "some" }, { format: "html" }]) {
    const body = {
      tenant_id: "a",
      account_id: account,
      entry_agent: "support",
      config: { platform_api_key: "apk_1", ...config },
    };
    expect((await gateway.call("POST", "/admin/bindings", { headers: asAdmin, body })).status).toBe(400);
  }
});
