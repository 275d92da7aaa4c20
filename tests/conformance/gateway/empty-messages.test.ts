import { describe, expect, test } from "bun:test";
import type { ChannelName } from "../../../src/contracts/gateway/channels.ts";
import { asAdmin, deliver, processAll, startGateway, type TestGateway } from "../../support/gateway.ts";
import { onEachEngine, sqliteEngine } from "../../support/storage-engines.ts";

const at = "2026-03-10T12:00:00.000Z";
const seconds = Date.parse(at) / 1000;

const accounts: readonly [ChannelName, string][] = [
  ["phone_messenger", "PNID1"],
  ["bot_messenger", "BOT1"],
  ["photo_social", "IGID1"],
  ["echo", "ECHO1"],
];

async function startWorld(engine: Parameters<typeof startGateway>[0]): Promise<TestGateway> {
  const gateway = await startGateway(engine, undefined, at);
  for (const [channel, externalId] of accounts) {
    const account_id = await gateway.account("a", channel, externalId);
    const config = { platform_api_key: "apk_test-key-0001" };
    const body = { tenant_id: "a", account_id, entry_agent: "support", config };
    expect((await gateway.call("POST", "/admin/bindings", { headers: asAdmin, body })).status).toBe(201);
  }
  return gateway;
}

const phone = (message: object) => ({
  object: "whatsapp_business_account",
  entry: [
    {
      id: "W",
      changes: [
        {
          field: "messages",
          value: {
            metadata: { phone_number_id: "PNID1", display_phone_number: "15550001111" },
            messages: [{ from: "5215550002222", id: "wamid.1", timestamp: String(seconds), ...message }],
          },
        },
      ],
    },
  ],
});
const chat = { id: 7, type: "private" };
const from = { id: 7, is_bot: false, first_name: "Ana" };
const bot = (message: object) => ({
  update_id: 1,
  message: { message_id: 1, date: seconds, chat, from, ...message },
});
const pressed = (query: object) => ({
  update_id: 1,
  callback_query: { id: "c1", from, message: { message_id: 5, chat }, ...query },
});
const photo = (item: object) => ({
  object: "instagram",
  entry: [
    {
      id: "IGID1",
      time: seconds * 1000,
      messaging: [{ sender: { id: "S1" }, recipient: { id: "IGID1" }, timestamp: seconds * 1000, ...item }],
    },
  ],
});
const echo = (text: string) => ({ from: "S1", id: "m1", text });

/** Deliveries of a message with nothing in it to answer. */
const empty: readonly [what: string, channel: ChannelName, payload: object][] = [
  ["interactive without a body", "phone_messenger", phone({ type: "interactive" })],
  [
    "interactive of an unknown type",
    "phone_messenger",
    phone({ type: "interactive", interactive: { type: "new" } }),
  ],
  ["form without answers", "phone_messenger", phone({ type: "interactive", interactive: { nfm_reply: {} } })],
  [
    "button without a title",
    "phone_messenger",
    phone({ type: "interactive", interactive: { button_reply: {} } }),
  ],
  [
    "list entry of blanks",
    "phone_messenger",
    phone({ type: "interactive", interactive: { list_reply: { title: " " } } }),
  ],
  ["button of a template without a text", "phone_messenger", phone({ type: "button", button: {} })],
  ["text of blanks", "phone_messenger", phone({ type: "text", text: { body: " \n" } })],
  ["image without a file", "phone_messenger", phone({ type: "image" })],
  ["sticker without a file", "phone_messenger", phone({ type: "sticker", sticker: {} })],
  ["location without a place", "phone_messenger", phone({ type: "location", location: {} })],
  ["contacts without anybody", "phone_messenger", phone({ type: "contacts", contacts: [{}] })],
  ["order without items", "phone_messenger", phone({ type: "order" })],
  ["kind of the future", "phone_messenger", phone({ type: "hologram", hologram: { text: "x" } })],
  ["press without data", "bot_messenger", pressed({})],
  ["press of a game", "bot_messenger", pressed({ game_short_name: "chess" })],
  ["photo without a file", "bot_messenger", bot({ photo: [{}] })],
  ["voice message without a file", "bot_messenger", bot({ voice: {} })],
  ["contact without a name", "bot_messenger", bot({ contact: {} })],
  ["location without a place", "bot_messenger", bot({ location: {} })],
  ["text of blanks", "bot_messenger", bot({ text: "\u00a0 " })],
  ["kind of the future", "bot_messenger", bot({ hologram: {} })],
  ["postback without a payload", "photo_social", photo({ postback: { mid: "m1" } })],
  [
    "image without an address",
    "photo_social",
    photo({ message: { mid: "m1", attachments: [{ type: "image" }] } }),
  ],
  [
    "attachment of the future",
    "photo_social",
    photo({ message: { mid: "m1", attachments: [{ type: "hologram" }] } }),
  ],
  ["message without anything", "photo_social", photo({ message: { mid: "m1" } })],
  ["text of blanks", "photo_social", photo({ message: { mid: "m1", text: "  " } })],
  ["text of blanks", "echo", echo("  ")],
];

/** Their neighbours, which an agent answers, with the query of the run. */
const full: readonly [what: string, channel: ChannelName, payload: object, query: string][] = [
  [
    "form",
    "phone_messenger",
    phone({ type: "interactive", interactive: { nfm_reply: { response_json: '{"a":1}' } } }),
    "a: 1",
  ],
  [
    "button with an id alone",
    "phone_messenger",
    phone({ type: "interactive", interactive: { button_reply: { id: "yes" } } }),
    "yes",
  ],
  ["sticker", "phone_messenger", phone({ type: "sticker", sticker: { id: "M1" } }), "[sticker]"],
  [
    "location",
    "phone_messenger",
    phone({ type: "location", location: { latitude: 1, longitude: 2 } }),
    "Location: 1, 2",
  ],
  [
    "order with a text alone",
    "phone_messenger",
    phone({ type: "order", order: { text: "two please" } }),
    "two please",
  ],
  ["press", "bot_messenger", pressed({ data: "yes" }), "yes"],
  ["voice message", "bot_messenger", bot({ voice: { file_id: "F1" } }), "[voice message]"],
  ["postback", "photo_social", photo({ postback: { mid: "m1", payload: "START" } }), "START"],
  [
    "shared link",
    "photo_social",
    photo({
      message: { mid: "m1", attachments: [{ type: "image", payload: { url: "https://cdn.example.com/i" } }] },
    }),
    "[image]",
  ],
  ["text", "echo", echo("hi"), "hi"],
];

/** Channels whose webhook's address names the account. */
const named: Partial<Record<ChannelName, { account: string }>> = {
  bot_messenger: { account: "BOT1" },
  echo: { account: "ECHO1" },
};

const post = (gateway: TestGateway, channel: ChannelName, payload: object) =>
  deliver(gateway, channel, payload, named[channel] ?? {});

describe("a message with nothing to answer is 200 and starts no run", () => {
  test.each(empty)("%s on %s", async (_, channel, payload) => {
    await using gateway = await startWorld(sqliteEngine);
    expect((await post(gateway, channel, payload)).status).toBe(200);
    await processAll(gateway);
    expect(gateway.platform.runs).toEqual([]);
    const { read, tables } = gateway.deps.storage;
    expect(await read.select().from(tables.outbox)).toEqual([]);
    for (const { state } of await read.select().from(tables.inbound)) expect(state).toBe("done");
  });
});

describe("a message with an answer starts a run", () => {
  test.each(full)("%s on %s", async (_, channel, payload, query) => {
    await using gateway = await startWorld(sqliteEngine);
    expect((await post(gateway, channel, payload)).status).toBe(200);
    await processAll(gateway);
    expect(gateway.platform.runs).toMatchObject([{ request: { query } }]);
  });
});

onEachEngine("an empty button", (engine) => {
  test("is kept in its conversation, without a run", async () => {
    await using gateway = await startWorld(engine);
    await post(gateway, "phone_messenger", phone({ type: "interactive" }));
    await processAll(gateway);
    const { read, tables } = gateway.deps.storage;
    expect(gateway.platform.runs).toEqual([]);
    expect(await read.select().from(tables.conversationMessages)).toMatchObject([
      { direction: "inbound", kind: "button", text: "" },
    ]);
    expect(await read.select().from(tables.inbound)).toMatchObject([{ outcome: "empty" }]);
  });
});
