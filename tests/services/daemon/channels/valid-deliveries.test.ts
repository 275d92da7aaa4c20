import { describe, expect, test } from "bun:test";
import corpus from "../../../corpora/channel_deliveries_valid.json" with { type: "json" };
import { deliveredAt, startChannelDaemon } from "../../../support/channel-daemon.ts";
import { agentFile } from "../../../support/daemon.ts";
import { settle } from "../../../support/fake-clock.ts";
import { deliveryOf, textMessage } from "../../../support/message-provider.ts";
import { onePer } from "../../../support/one-per.ts";

interface Entry {
  id: string;
  input: { channel: string; payload: Record<string, unknown> };
  why: string;
}
const entries = (corpus.entries as unknown as Entry[]).filter(
  ({ input }) => input.channel === "phone_messenger",
);

/** The queries of the runs that answer a delivery, and the event that is counted. */
const expected: Record<string, { runs?: string[]; counted?: string }> = {
  "channel_deliveries_valid-001": { runs: ["hola"] },
  "channel_deliveries_valid-002": { runs: ["hi"] },
  "channel_deliveries_valid-003": { runs: ["c\n[image: image/jpeg]"] },
  "channel_deliveries_valid-005": { runs: ["[voice message: audio/ogg; codecs=opus]"] },
  "channel_deliveries_valid-006": { runs: ["[video: video/mp4]"] },
  "channel_deliveries_valid-007": { runs: ["[document: x.pdf]"] },
  "channel_deliveries_valid-009": { runs: ["Location: 19.4, -99.1, n, a"] },
  "channel_deliveries_valid-010": { runs: ["Contact: B, +52 1 555"] },
  "channel_deliveries_valid-013": { runs: ["Yes\n[id: yes]"] },
  "channel_deliveries_valid-014": { runs: ["A\nd\n[id: a]"] },
  "channel_deliveries_valid-015": { runs: ["Sent\nx: 1"] },
  "channel_deliveries_valid-017": { runs: ["T\n[payload: P]"] },
  "channel_deliveries_valid-018": { runs: ["Order: 1 × r at 30 MXN"] },
  "channel_deliveries_valid-011": { counted: "reaction_unknown" },
  "channel_deliveries_valid-019": { counted: "event" },
  "channel_deliveries_valid-021": { counted: "event" },
  "channel_deliveries_valid-022": { counted: "event" },
  "channel_deliveries_valid-023": { counted: "unknown_kind" },
  "channel_deliveries_valid-025": { counted: "group" },
  "channel_deliveries_valid-026": { runs: ["a", "b"] },
  "channel_deliveries_valid-027": { counted: "status" },
  "channel_deliveries_valid-029": { counted: "status" },
  "channel_deliveries_valid-030": { counted: "status" },
  "channel_deliveries_valid-031": { counted: "status" },
  "channel_deliveries_valid-033": { counted: "other_field" },
  "channel_deliveries_valid-034": { counted: "other_field" },
};

/** `tests/channels/inbound/valid-deliveries.test.ts` reads each entry of the corpus. */
const kinds = onePer(entries, ({ id }) => JSON.stringify(expected[id]));

describe("a delivery of each kind, 50 times at once, is 200 and answered once", () => {
  test.each(kinds)("$id $why", async ({ id, input }) => {
    await using channel = await startChannelDaemon();
    const { runs = [], counted } = expected[id] ?? {};
    expect(Object.keys(expected)).toContain(id);
    const body = JSON.stringify(input.payload);
    const answers = await Promise.all(Array.from({ length: 50 }, () => channel.deliver(body)));
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 200, body: { queued: runs.length } });
    await channel.idle();

    const asked = channel.daemon.models.lab.requests.map(({ body }) => body.messages.at(-1)?.content);
    expect(asked).toEqual(runs);
    expect(channel.provider.sent.map(({ text }) => text)).toEqual(runs.map(() => "Hello there."));
    const isWithoutPhone = id === "channel_deliveries_valid-002";
    for (const { body } of channel.provider.sent) {
      expect(body.to).toBe(isWithoutPhone ? undefined : "5215550002222");
      expect(body.recipient).toBe(isWithoutPhone ? "MX.13490000000000000001" : undefined);
    }
    if (counted !== undefined) expect((await channel.counted("messages"))[counted]).toBe(50);
  });
});

test("a user without a phone number is a session of their own, and the context says whom the agent talks to", async () => {
  const context =
    "{{ channel }}|{{ sender }}|{{ sender_phone }}|{{ contact_name }}|{{ message_id }}|{{ received_at }}";
  await using channel = await startChannelDaemon({
    agents: {
      "helper.agent.yaml": JSON.stringify({
        apiVersion: "platform/v1",
        kind: "Agent",
        metadata: { name: "helper" },
        spec: { model: { primary: { provider: "lab", model: "m" } }, prompts: { system: context } },
      }),
    },
  });
  await channel.deliver(
    deliveryOf([{ id: "wamid.B", from_user_id: "MX.134", type: "text", text: { body: "hi" } }], {
      contacts: [{ profile: { name: "Ana\u0007 B" }, user_id: "MX.134" }],
    }),
  );
  await channel.deliver(deliveryOf([textMessage("wamid.P", "hi")], { contacts: undefined }));
  await channel.idle();
  const systems = channel.daemon.models.lab.requests.map(({ body }) => body.messages[0]?.content).sort();
  expect(systems).toEqual([
    "phone_messenger|5215550002222|5215550002222||wamid.P|2025-10-09T08:53:20.000Z",
    "phone_messenger|MX.134||Ana  B|wamid.B|2025-10-09T08:53:20.000Z",
  ]);
  const { body } = await channel.daemon.call("GET", "/v1/memory/helper/history/MX.134");
  expect(body.messages).toHaveLength(2);
});

describe("what is malformed or strange is 200, counted, and harms nothing", () => {
  const good = textMessage("wamid.GOOD", "good");
  const table: [what: string, messages: unknown, counted: string | undefined][] = [
    ["no array", "text", undefined],
    ["an object", { 0: good }, undefined],
    ["null", [null], "malformed"],
    ["a number", [7], "malformed"],
    ["no id", [{ ...good, id: undefined }], "malformed"],
    ["an empty id", [{ ...good, id: "" }], "malformed"],
    ["an id that is a number", [{ ...good, id: 5 }], "malformed"],
    ["an endless id", [{ ...good, id: "w".repeat(513) }], "malformed"],
    ["no sender", [{ ...good, from: undefined }], "malformed"],
    ["a sender that is a number", [{ ...good, from: 5215550002222 }], "malformed"],
    ["a sender with a control character", [{ ...good, from: "52\n1" }], "malformed"],
    ["an endless sender", [{ ...good, from: "5".repeat(256) }], "malformed"],
    ["no type", [{ ...good, type: undefined }], "malformed"],
    ["a type of every object", [{ ...good, type: "constructor" }], "unknown_kind"],
    ["no text", [{ ...good, text: undefined }], "malformed"],
    ["a text that is a string", [{ ...good, text: "good" }], "malformed"],
    ["an empty text", [{ ...good, text: { body: "" } }], "malformed"],
    ["a text that is a list", [{ ...good, text: { body: ["good"] } }], "malformed"],
    ["our own number", [{ ...good, from: "15550001111" }], "own"],
    ["unsupported", [{ ...good, type: "unsupported", errors: [{ code: 131051 }] }], "event"],
  ];
  test.each(table)("%s", async (_, messages, counted) => {
    await using channel = await startChannelDaemon();
    const answer = await channel.deliver(deliveryOf([], { messages }));
    expect(answer).toMatchObject({ status: 200, body: { queued: 0 } });
    if (counted !== undefined) expect(await channel.counted("messages")).toMatchObject({ [counted]: 1 });
    // Next to valid messages, it does not stop them.
    const beside = Array.isArray(messages) ? [...messages, good] : [good];
    await channel.deliver(deliveryOf([], { messages: beside }));
    await channel.idle();
    expect(channel.provider.sent).toHaveLength(1);
  });

  test.each([
    "null",
    "[]",
    '"x"',
    "7",
    "{}",
    '{"object":"page","entry":[]}',
    '{"object":"whatsapp_business_account"}',
    '{"object":"whatsapp_business_account","entry":{"changes":[]}}',
    '{"object":"whatsapp_business_account","entry":[null,7,{"changes":[null,{"field":"messages"}]}]}',
    '{"object":"whatsapp_business_account","entry":[{"changes":[{"field":"messages","value":{"metadata":[]}}]}]}',
  ])("%s", async (body) => {
    await using channel = await startChannelDaemon();
    expect(await channel.deliver(body)).toMatchObject({ status: 200, body: { queued: 0 } });
  });

  test.each([
    ["1e999", "+1"],
    ["99999999999", "-5"],
  ])("timestamps that are none (%s, %s): the messages are answered", async (...timestamps) => {
    await using channel = await startChannelDaemon();
    const messages = timestamps.map((timestamp, at) => textMessage(`wamid.${at}`, "hi", { timestamp }));
    await channel.deliver(deliveryOf(messages));
    await channel.idle();
    expect(channel.provider.sent).toHaveLength(2);
  });

  test("a text of more than 256 KiB gets the notice that it is too long", async () => {
    await using channel = await startChannelDaemon();
    await channel.deliver(deliveryOf([textMessage("wamid.LONG", "é".repeat(140_000))]));
    await channel.idle();
    expect(channel.provider.textsTo("5215550002222")).toEqual([
      "Sorry, that message is too long for me. Please send me a shorter one.",
    ]);
    expect(channel.daemon.models.lab.requests).toEqual([]);
  });
});

test("messages of one sender are answered in the order in which they were written, also when delivered the wrong way round", async () => {
  const first = Promise.withResolvers<void>();
  await using channel = await startChannelDaemon({
    startAt: "2025-10-09T08:53:30.000Z",
    models: { lab: (_, number) => ({ text: "ok", ...(number === 0 ? { after: first.promise } : {}) }) },
  });
  const at = (id: string, timestamp: string) => deliveryOf([textMessage(id, id, { timestamp })]);
  await channel.deliver(at("one", "1760000001"));
  while (channel.daemon.models.lab.requests.length < 1) await settle();
  await channel.deliver(at("three", "1760000003"));
  await channel.deliver(at("two", "1760000002"));
  await channel.deliver(at("four", "1760000003"));
  await channel.deliver(deliveryOf([textMessage("other", "other", { from: "34600" })]));
  await channel.provider.sentCount(1);
  expect(channel.provider.textsTo("34600")).toEqual(["ok"]);
  first.resolve();
  await channel.idle();
  const asked = channel.daemon.models.lab.requests.map(({ body }) => body.messages.at(-1)?.content);
  expect(asked.filter((text) => text !== "other")).toEqual(["one", "two", "three", "four"]);
});

describe("a signed delivery that comes late", () => {
  const sentAt = Date.parse(deliveredAt);
  const late = (ms: number) => new Date(sentAt + ms).toISOString();

  test.each([
    ["24 hours", 86_400_000, 1],
    ["24 hours and a second", 86_401_000, 0],
    ["8 days", 8 * 86_400_000, 0],
  ])("%s after the message was sent", async (_, ms, answers) => {
    await using channel = await startChannelDaemon({ startAt: late(ms) });
    const body = deliveryOf([textMessage("wamid.LATE", "hi")]);
    expect(await channel.deliver(body)).toMatchObject({ status: 200, body: { queued: 1 } });
    await channel.idle();
    expect(channel.provider.sent).toHaveLength(answers);
    expect(channel.daemon.models.lab.requests).toHaveLength(answers);
    if (answers === 0) expect(await channel.counted("messages")).toMatchObject({ stale: 1 });
    // The message is known from then on.
    expect(await channel.deliver(body)).toMatchObject({ status: 200, body: { queued: 1 } });
    await channel.idle();
    expect(channel.provider.sent).toHaveLength(answers);
  });
});

describe("files of a message", () => {
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
  const picture = {
    id: "wamid.PICTURE",
    from: "5215550002222",
    timestamp: "1760000000",
    type: "image",
    image: { id: "F1", mime_type: "image/png", caption: "What is this?" },
  };
  const agentOf = (model: string) => agentFile("helper", { model: { primary: { provider: "lab", model } } });

  test.each([
    ["a model that sees gets the image", "gpt-4o", true],
    ["another model gets its name", "m", false],
  ])("%s", async (_, model, sees) => {
    await using channel = await startChannelDaemon({ agents: { "helper.agent.yaml": agentOf(model) } });
    channel.provider.files.set("F1", { bytes: png, mimeType: "image/png" });
    await channel.deliver(deliveryOf([picture]));
    await channel.idle();
    const content = JSON.stringify(channel.daemon.models.lab.requests[0]?.body.messages.at(-1)?.content);
    expect(content).toContain("What is this?");
    expect(content).toContain("[image: image/png]");
    expect(content.includes(Buffer.from(png).toString("base64"))).toBe(sees);
  });

  test("a file that can't be had is named, and the message is answered", async () => {
    await using channel = await startChannelDaemon({ agents: { "helper.agent.yaml": agentOf("gpt-4o") } });
    await channel.deliver(deliveryOf([picture]));
    await channel.idle();
    expect(channel.provider.textsTo("5215550002222")).toEqual(["Hello there."]);
  });

  test("a message without text, payload and file gets a notice, and no agent runs", async () => {
    await using channel = await startChannelDaemon();
    await channel.deliver(deliveryOf([{ ...picture, image: {} }]));
    await channel.idle();
    expect(channel.provider.textsTo("5215550002222")).toEqual([
      "Sorry, I could not read that message. Please write to me in words.",
    ]);
    expect(channel.daemon.models.lab.requests).toEqual([]);
  });
});
