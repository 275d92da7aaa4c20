import { describe, expect, test } from "bun:test";
import { readTelegramDelivery } from "../../../src/channels/telegram/read-update.ts";
import { readWhatsAppDelivery } from "../../../src/channels/whatsapp/read-events.ts";
import { atOnce } from "../../../src/kit/concurrency/others-turn.ts";

const chat = { id: -1005551112222, type: "supergroup", title: "Soporte", is_forum: true };
const ana = { id: 77001, is_bot: false, first_name: "Ana" };
const bytes = (value: object) => new TextEncoder().encode(JSON.stringify(value));

function telegram(message: object, kind = "message") {
  const update = {
    update_id: 1,
    [kind]: { message_id: 21, from: ana, chat, date: 1773144000, text: "hi", ...message },
  };
  const read = atOnce(readTelegramDelivery(bytes(update), "bot"));
  return "events" in read ? read.events[0] : undefined;
}

const topic = { message_thread_id: 42, is_topic_message: true };

describe("a message of a Telegram group", () => {
  test.each([
    ["in a topic", topic, "-1005551112222/42"],
    ["in the general topic", { message_thread_id: 1, is_topic_message: true }, "-1005551112222"],
    ["in a thread of replies", { message_thread_id: 21 }, "-1005551112222"],
    ["outside of topics", {}, "-1005551112222"],
  ])("%s belongs to that conversation", (_, more, key) => {
    expect(telegram(more)).toMatchObject({
      conversation: { key, address: { kind: "id", address: key }, isGroup: true },
      dedupeKey: "-1005551112222:21",
      contactName: "Soporte",
      speaker: "Ana",
    });
  });

  const bot = { id: 123456, is_bot: true, first_name: "Bot" };
  test.each([
    ["nobody", {}, {}],
    [
      "whom it mentions",
      { text: "oye @Shop_Bot ya", entities: [{ type: "mention", offset: 4, length: 9 }] },
      { names: ["shop_bot"] },
    ],
    [
      "whom it mentions in a caption",
      {
        text: undefined,
        caption: "@Shop_Bot",
        photo: [{ file_id: "f" }],
        caption_entities: [{ type: "mention", offset: 0, length: 9 }],
      },
      { names: ["shop_bot"] },
    ],
    [
      "whom it mentions without a name",
      { entities: [{ type: "text_mention", offset: 0, length: 2, user: bot }] },
      { ids: ["123456"] },
    ],
    ["the bot that it replies to", { reply_to_message: { message_id: 3, from: bot } }, { ids: ["123456"] }],
    ["no person that it replies to", { reply_to_message: { message_id: 3, from: ana } }, {}],
    [
      "nobody by the message that opened its topic",
      { ...topic, reply_to_message: { message_id: 3, from: bot, forum_topic_created: { name: "x" } } },
      {},
    ],
    [
      "us by a command",
      { text: "/help", entities: [{ type: "bot_command", offset: 0, length: 5 }] },
      { us: true },
    ],
    [
      "the bot that a command names",
      { text: "/help@other_bot", entities: [{ type: "bot_command", offset: 0, length: 15 }] },
      { names: ["other_bot"] },
    ],
    [
      "nobody by a command within the text",
      { text: "see /help", entities: [{ type: "bot_command", offset: 4, length: 5 }] },
      {},
    ],
  ])("addresses %s", (_, message, addresses) => {
    expect(telegram(message)).toMatchObject({ addresses });
    expect(Object.keys(Reflect.get(telegram(message) ?? {}, "addresses"))).toEqual(Object.keys(addresses));
  });

  test("in private has no speaker", () => {
    const event = telegram({ chat: { id: 77001, type: "private" } });
    expect(event).toMatchObject({ contactName: "Ana" });
    expect(event).not.toHaveProperty("speaker");
    expect(event).not.toHaveProperty("addresses");
  });

  test("whose button is pressed is answered in its topic", () => {
    const query = { id: "q", data: "x", message: { message_id: 9, chat, ...topic } };
    expect(telegram(query, "callback_query")).toMatchObject({
      conversation: { key: "-1005551112222/42" },
      speaker: "Ana",
      addresses: { us: true },
    });
  });
});

describe("a message of a WhatsApp group", () => {
  const read = (more: object) => {
    const value = {
      metadata: { phone_number_id: "PN", display_phone_number: "+1 555 000 1111" },
      contacts: [{ wa_id: "5215550001111", profile: { name: "Ana" } }],
      messages: [
        {
          id: "wamid.1",
          from: "5215550001111",
          group_id: "Z3JvdXA",
          timestamp: "1773144000",
          type: "text",
          text: { body: "hi" },
          ...more,
        },
      ],
    };
    const body = {
      object: "whatsapp_business_account",
      entry: [{ changes: [{ field: "messages", value }] }],
    };
    const found = atOnce(readWhatsAppDelivery(bytes(body)));
    return "events" in found ? found.events[0] : undefined;
  };

  test("belongs to the group, and names who speaks", () => {
    expect(read({})).toMatchObject({
      conversation: { key: "Z3JvdXA", address: { kind: "group", address: "Z3JvdXA" }, isGroup: true },
      sender: { address: "5215550001111" },
      speaker: "Ana",
      addresses: {},
    });
    expect(read({})).not.toHaveProperty("contactName");
  });

  test.each([
    [{ context: { from: "15550001111", id: "wamid.0" } }, { us: true }],
    [{ context: { from: "5215559999999", id: "wamid.0" } }, {}],
    [{ text: { body: "oye @15550001111" } }, { us: true }],
  ])("%j addresses %j", (more, addresses) => {
    expect(Reflect.get(read(more) ?? {}, "addresses")).toEqual(addresses);
  });
});
