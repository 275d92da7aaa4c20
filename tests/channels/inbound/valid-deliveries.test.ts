import { describe, expect, test } from "bun:test";
import { channels } from "../../../src/channels/channel-registry.ts";
import type { InboundEvent } from "../../../src/channels/inbound/inbound-event.ts";
import { atOnce } from "../../../src/kit/concurrency/others-turn.ts";
import corpus from "../../corpora/channel_deliveries_valid.json" with { type: "json" };

interface Entry {
  id: string;
  input: { channel: string; payload: object };
  why: string;
  expected: string;
}
const entries = corpus.entries as unknown as Entry[];

/** Reads a payload as the channel's webhook would; `BOT1` is the account that the address names. */
function eventsOf(channel: string, payload: object | string): InboundEvent[] {
  const text = typeof payload === "string" ? payload : JSON.stringify(payload);
  const webhook = channels.get(channel)?.webhook;
  if (webhook === undefined) throw new Error(`${channel} is not a channel`);
  const read = atOnce(webhook.read(new TextEncoder().encode(text), "BOT1"));
  if ("unreadable" in read) throw new Error(read.unreadable);
  return read.events;
}

const ana = { kind: "phone", address: "5215550002222" };
const bsuid = { kind: "bsuid", address: "MX.13490000000000000001" };
const chat = { kind: "id", address: "4503599627370497" };
const igsid = { kind: "id", address: "IGSID1" };
const at = new Date("2025-10-09T08:53:20.000Z");

const phoneMessage = (content: object) => [
  {
    type: "message",
    account: "PNID1",
    sender: ana,
    senderAlias: bsuid,
    contactName: "Ana",
    sentAt: at,
    ...content,
  },
];
const botMessage = (content: object) => [
  {
    type: "message",
    account: "BOT1",
    dedupeKey: "4503599627370497:11",
    sender: chat,
    contactName: "Ana",
    sentAt: at,
    ...content,
  },
];
const photoMessage = (content: object) => [
  { type: "message", account: "IGID1", sender: igsid, sentAt: new Date(1_760_000_000_120), ...content },
];
const ignored = (reason: string, record: object = {}) => [{ type: "ignored", reason, record }];
const status = (name: string) => [
  {
    type: "status",
    messageId: "wamid.OUT",
    dedupeKey: `wamid.OUT:${name}`,
    status: name,
    token: "msg_123",
    recipient: ana,
    at,
  },
];

const expectedById: Record<string, object[]> = {
  "001": phoneMessage({
    kind: "text",
    text: "hola",
    dedupeKey: "wamid.TESTtext",
    messageId: "wamid.TESTtext",
    senderPhone: "+5215550002222",
    conversation: { address: ana, key: "5215550002222", isGroup: false },
  }),
  "002": [
    { type: "message", sender: bsuid, contactName: "Ana", text: "hi", conversation: { address: bsuid } },
  ],
  "003": phoneMessage({
    kind: "image",
    text: "c",
    media: [{ kind: "image", id: "MEDIA1", mimeType: "image/jpeg" }],
  }),
  "005": phoneMessage({ kind: "audio", text: "", media: [{ kind: "audio", id: "M", isVoice: true }] }),
  "006": phoneMessage({ kind: "video", media: [{ kind: "video", id: "M" }] }),
  "007": phoneMessage({ kind: "document", media: [{ kind: "document", fileName: "x.pdf" }] }),
  "009": phoneMessage({ kind: "location", text: "Location: 19.4, -99.1, n, a" }),
  "010": phoneMessage({ kind: "contact", text: "Contact: B, +52 1 555" }),
  "011": [{ type: "reaction", account: "PNID1", about: "wamid.X", emoji: "👍", address: ana, at }],
  "013": phoneMessage({ kind: "button", text: "Yes", data: "yes", replyTo: "wamid.Y" }),
  "014": phoneMessage({ kind: "button", text: "A", data: "a" }),
  "015": phoneMessage({
    kind: "button",
    text: "Sent\nx: 1",
    data: '{"x":1}',
    reply: { title: "flow", data: { x: 1 } },
  }),
  "017": phoneMessage({ kind: "button", text: "T", data: "P" }),
  "018": phoneMessage({ kind: "order", text: "Order: 1 × r at 30 MXN" }),
  "019": [
    {
      type: "moved",
      from: ana,
      to: { kind: "phone", address: "5215550009999" },
      dedupeKey: "wamid.TESTsystem",
    },
  ],
  "021": ignored("edit", { about: "wamid.O", text: "new", dedupeKey: "wamid.TESTedit" }),
  "022": ignored("revoke", { about: "wamid.O" }),
  "023": ignored("unknown_kind", { dedupeKey: "wamid.TESThologram" }),
  "025": [
    {
      type: "message",
      sender: ana,
      speaker: "Ana",
      text: "g",
      conversation: { address: { kind: "group", address: "GROUP1" }, key: "GROUP1", isGroup: true },
    },
  ],
  "026": [...phoneMessage({ text: "a" }), ...phoneMessage({ text: "b", dedupeKey: "wamid.SECOND" })],
  "027": status("sent"),
  "029": status("read"),
  "030": status("played"),
  "031": [{ ...status("failed")[0], error: { code: 131047, title: "Re-engagement message", details: "d" } }],
  "033": [{ type: "ignored", reason: "other_field" }],
  "034": [
    { type: "echo", account: "PNID1", recipient: ana, text: "from the phone app", dedupeKey: "wamid.E" },
  ],
  "035": botMessage({ kind: "text", text: "hola", conversation: { address: chat, isGroup: false } }),
  "037": botMessage({ kind: "image", text: "c", media: [{ kind: "image", id: "B", bytes: 9 }] }),
  "038": botMessage({
    kind: "document",
    media: [{ kind: "document", id: "D", fileName: "x", bytes: 3_000_000_000, isTooLarge: true }],
  }),
  "039": botMessage({ kind: "audio", media: [{ kind: "audio", id: "V", isVoice: true }] }),
  "041": botMessage({ kind: "contact", text: "Contact: Otro, 5299" }),
  "042": botMessage({ kind: "contact", text: "Contact: Otro, 5299" }),
  "043": botMessage({ kind: "contact", isForwarded: true }),
  "045": [
    {
      type: "message",
      kind: "button",
      dedupeKey: "u:700001",
      callbackId: "1",
      text: "yes",
      data: "yes",
      replyTo: "11",
      conversation: { address: chat },
    },
  ],
  "046": ignored("channel_post", { address: { kind: "id", address: "-1001" } }),
  "047": [{ type: "reachable", address: chat, isReachable: false, dedupeKey: "u:700001" }],
  "049": ignored("service"),
  "050": [
    {
      type: "moved",
      from: { kind: "id", address: "-5" },
      to: { kind: "id", address: "-1001234567890" },
      dedupeKey: "-5:13",
    },
  ],
  "051": ignored("business"),
  "053": photoMessage({ kind: "text", text: "hola", dedupeKey: "m_1", conversation: { address: igsid } }),
  "054": photoMessage({ kind: "image", media: [{ kind: "image", url: "https://lookaside.fbsbx.com/x" }] }),
  "055": photoMessage({ kind: "link", media: [{ kind: "link", url: "u" }] }),
  "057": ignored("unsupported", { dedupeKey: "m_5" }),
  "058": ignored("revoke", { about: "m_6" }),
  "059": [{ type: "echo", account: "IGID1", recipient: igsid, text: "ours", dedupeKey: "m_7" }],
  "061": photoMessage({ text: "s", referral: { source: "story", ref: "1", url: "u" } }),
  "062": photoMessage({ kind: "button", text: "q", data: "P" }),
  "063": photoMessage({ kind: "button", text: "T", data: "P", dedupeKey: "m_11" }),
  "065": [{ type: "reaction", account: "IGID1", about: "m_1", address: igsid }],
  "066": [{ type: "status", messageId: "m_1", status: "read", recipient: igsid }],
  "067": ignored("referral", { text: "r" }),
  "069": ignored("empty", { dedupeKey: "m_12" }),
  "070": [{ type: "ignored", reason: "unknown_event" }],
  "071": ignored("standby", { dedupeKey: "m_20", text: "x", address: igsid }),
  "073": [{ type: "ignored", reason: "other_object" }],
};

describe("each valid delivery of the corpus reads as the corpus says", () => {
  test.each(entries)("$id $why: $expected", ({ id, input }) => {
    const events = eventsOf(input.channel, input.payload);
    const expected = expectedById[id.slice(-3)];
    expect(expected).toBeDefined();
    expect(events).toMatchObject(expected ?? []);
    expect(events).toHaveLength(expected?.length ?? 0);
  });
});

const botUpdate = (message: object) => ({
  update_id: 7,
  message: {
    message_id: 3,
    date: 1_760_000_000,
    from: { id: 5, is_bot: false, first_name: "Ana" },
    chat: { id: 5, type: "private" },
    ...message,
  },
});

describe("a contact verifies a number only if it is the sender's own", () => {
  const own = { phone_number: "+52 (55) 123-4567", first_name: "Ana", user_id: 5 };
  test("own, in the private chat", () => {
    expect(eventsOf("bot_messenger", botUpdate({ contact: own }))).toMatchObject([
      { type: "identity", account: "BOT1", address: { kind: "id", address: "5" }, phone: "+52551234567" },
      { type: "message", kind: "contact" },
    ]);
  });

  test.each([
    ["without a user", { contact: { ...own, user_id: undefined } }],
    ["of another user", { contact: { ...own, user_id: 6 } }],
    ["with the id as a text of another kind", { contact: { ...own, user_id: "5 " } }],
    ["forwarded by the new field", { contact: own, forward_origin: { type: "hidden_user" } }],
    ["forwarded by an old field", { contact: own, forward_date: 1 }],
    ["in a group", { contact: own, chat: { id: -9, type: "group" } }],
    ["in a private chat of someone else", { contact: own, chat: { id: 6, type: "private" } }],
    ["without a number", { contact: { ...own, phone_number: "call me" } }],
  ])("%s: it does not", (_, message) => {
    expect(eventsOf("bot_messenger", botUpdate(message)).map(({ type }) => type)).toEqual(["message"]);
  });
});

describe("messages for which no agent runs", () => {
  const types = (channel: string, payload: object) =>
    eventsOf(channel, payload).map((event) => (event.type === "ignored" ? event.reason : event.type));

  test("messages of bots, of channels and without a sender", () => {
    const isBot = { from: { id: 5, is_bot: true } };
    expect(types("bot_messenger", botUpdate(isBot))).toEqual(["bot"]);
    expect(types("bot_messenger", botUpdate({ from: undefined }))).toEqual(["no_sender"]);
    expect(types("bot_messenger", botUpdate({ chat: { id: -1, type: "channel" }, text: "x" }))).toEqual([
      "channel_post",
    ]);
    expect(types("bot_messenger", { update_id: 1, edited_message: { text: "x" } })).toEqual(["edit"]);
    expect(types("bot_messenger", { update_id: 1, poll_answer: {} })).toEqual(["unknown_event"]);
    expect(types("bot_messenger", { update_id: 1 })).toEqual(["unknown_event"]);
    expect(types("bot_messenger", { update_id: "1" })).toEqual(["malformed"]);
  });

  test("messages of our own account that are not marked as echoes", () => {
    const own = { sender: { id: "IGID1" }, recipient: { id: "IGSID1" }, message: { mid: "m", text: "x" } };
    const entry = (item: object, list = "messaging") => ({
      object: "instagram",
      entry: [{ id: "IGID1", [list]: [item] }],
    });
    expect(types("photo_social", entry(own))).toEqual(["echo"]);
    expect(types("photo_social", entry({ ...own, message: undefined, postback: { payload: "P" } }))).toEqual([
      "own",
    ]);
    expect(types("photo_social", entry({ field: "messages", value: own }, "changes"))).toEqual(["echo"]);
    expect(types("photo_social", entry({ field: "comments", value: own }, "changes"))).toEqual([
      "other_field",
    ]);
  });
});

test("each change of a delivery belongs to its own account", () => {
  const change = (account: string, id: string) => ({
    field: "messages",
    value: {
      metadata: { phone_number_id: account },
      messages: [{ from: "1", id, type: "text", text: { body: account } }],
    },
  });
  const entry = [{ changes: [change("A", "1"), change("B", "2")] }, { changes: [change("A", "3")] }];
  const events = eventsOf("phone_messenger", { object: "whatsapp_business_account", entry });
  expect(events.map((event) => [event.account, "text" in event && event.text])).toEqual([
    ["A", "A"],
    ["B", "B"],
    ["A", "A"],
  ]);
});

test("a postback without an id has the same key each time, and another for another press", () => {
  const press = (timestamp: number) => ({
    object: "instagram",
    entry: [
      {
        id: "IGID1",
        messaging: [
          { sender: { id: "1" }, recipient: { id: "IGID1" }, timestamp, postback: { payload: "P" } },
        ],
      },
    ],
  });
  const keyOf = (timestamp: number) => {
    const [event] = eventsOf("photo_social", press(timestamp));
    return event?.type === "message" ? event.dedupeKey : undefined;
  };
  expect(keyOf(1_760_000_000_001)).toStartWith("postback:");
  expect(keyOf(1_760_000_000_001)).toBe(keyOf(1_760_000_000_001));
  expect(keyOf(1_760_000_000_001)).not.toBe(keyOf(1_760_000_000_002));
});

test("NUL and half characters do not lose a delivery", () => {
  const payload = `{"update_id":1,"update_id":2,"message":{"message_id":1,"date":1,"chat":{"id":5,"type":"private"},"from":{"id":5,"first_name":"A\\u0000"},"text":"a\\u0000b\\ud800"}}`;
  expect(eventsOf("bot_messenger", payload)).toMatchObject([{ text: "ab\ufffd", contactName: "A" }]);
});

test("anything but a delivery is refused with the reason", () => {
  const unreadable = (channel: string, text: string | Uint8Array) => {
    const body = typeof text === "string" ? new TextEncoder().encode(text) : text;
    const webhook = channels.get(channel)?.webhook;
    return webhook && atOnce(webhook.read(body, "BOT1"));
  };
  for (const channel of ["phone_messenger", "photo_social", "bot_messenger", "echo"]) {
    expect(unreadable(channel, "{")).toEqual({ unreadable: expect.any(String) });
    expect(unreadable(channel, "")).toEqual({ unreadable: expect.any(String) });
    expect(unreadable(channel, new Uint8Array([0xff]))).toEqual({
      unreadable: "The body is not valid UTF-8.",
    });
  }
  expect(unreadable("bot_messenger", '{"message":{}}')).toEqual({
    unreadable: "update_id is missing: the body is not an update.",
  });
  expect(unreadable("echo", '{"from":"a","text":""}')).toEqual({
    unreadable: expect.stringContaining("from, text and id"),
  });
  expect(unreadable("echo", '{"from":"a","text":"b","id":"1"}')).toMatchObject({
    events: [{ type: "message", text: "b" }],
  });
});

test.each([
  ["../../.ssh/id", "id"],
  ["..", undefined],
  ["...hidden", "hidden"],
  ["C:\\a\\b.txt", "b.txt"],
  ["a\u202Egnp.exe\u0000", "agnp.exe"],
  [`${"x".repeat(300)}.pdf`, `${"x".repeat(124)}.pdf`],
  ["a/", undefined],
])("the file name %j becomes %j", (name, expected) => {
  const [event] = eventsOf("bot_messenger", botUpdate({ document: { file_id: "D", file_name: name } }));
  expect(event?.type === "message" && event.media[0]?.fileName).toBe(expected);
});
