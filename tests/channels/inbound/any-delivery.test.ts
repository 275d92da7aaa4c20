import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { channels } from "../../../src/channels/channel-registry.ts";
import type { InboundEvent } from "../../../src/channels/inbound/inbound-event.ts";
import { atOnce, stepsPerPiece } from "../../../src/kit/concurrency/others-turn.ts";
import corpus from "../../corpora/channel_deliveries_valid.json" with { type: "json" };
import injections from "../../corpora/prompt_injection.json" with { type: "json" };
import { workDone } from "../../support/work-done.ts";

const names = ["phone_messenger", "bot_messenger", "photo_social", "echo"] as const;
const payloads = corpus.entries as unknown as { input: { channel: string; payload: fc.JsonValue } }[];

function read(channel: string, payload: unknown) {
  const webhook = channels.get(channel)?.webhook;
  if (webhook === undefined) throw new Error(`${channel} is not a channel`);
  return atOnce(webhook.read(new TextEncoder().encode(JSON.stringify(payload)), "BOT1"));
}

function eventsOf(channel: string, payload: unknown): InboundEvent[] {
  const reading = read(channel, payload);
  return "events" in reading ? reading.events : [];
}

/** Names that the readers look for, so that any document comes close to a delivery. */
const keys = [
  ...new Set(
    payloads.flatMap(({ input }) =>
      [...JSON.stringify(input.payload).matchAll(/"(\w+)":/g)].map(([, key]) => key ?? ""),
    ),
  ),
  "__proto__",
  "constructor",
];

const scalar = fc.oneof(
  fc.constantFrom<fc.JsonValue>(
    "whatsapp_business_account",
    "instagram",
    "messages",
    "text",
    "private",
    "",
    "5",
    null,
    true,
  ),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom("\0", "\ud800", "\udc00", "/", "\\", ".", "a", "\u202e") }),
);
const anyDocument = fc.letrec<{ node: fc.JsonValue }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    scalar,
    fc.array(tie("node"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...keys), tie("node"), { maxKeys: 6 }),
  ),
})).node;

/** A payload of the corpus in which one value is replaced. */
const mutated = fc
  .tuple(fc.constantFrom(...payloads), fc.nat(), anyDocument)
  .map(([{ input }, position, value]) => {
    const copy = structuredClone(input.payload);
    const places: (() => void)[] = [];
    const walk = (node: unknown) => {
      if (typeof node !== "object" || node === null) return;
      for (const key of Object.keys(node)) {
        places.push(() => Reflect.set(node, key, value));
        walk(Reflect.get(node, key));
      }
    };
    walk(copy);
    places[position % places.length]?.();
    return { channel: input.channel, payload: copy };
  });

/** Promises of every event, for any document. */
function expectSound(event: InboundEvent): void {
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === "string") texts.push(value);
    else if (typeof value === "object" && value !== null)
      for (const one of Object.values(value)) collect(one);
  };
  collect(event);
  for (const text of texts) {
    expect(text.includes("\0")).toBe(false);
    expect(text.isWellFormed()).toBe(true);
  }
  if (event.type === "ignored") return;
  expect(event.account).not.toBe("");
  expect(event.dedupeKey).not.toBe("");
  if (event.type !== "message") return;
  expect(event.conversation.key).not.toBe("");
  expect(event.sender.address).not.toBe("");
  for (const { fileName } of event.media) expect(fileName ?? "x").not.toMatch(/[/\\]|^\./);
}

describe("no document makes a reader throw", () => {
  test("any JSON", () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), anyDocument, (channel, document) => {
        for (const event of eventsOf(channel, document)) expectSound(event);
      }),
      { numRuns: 2000 },
    );
  });

  test("deliveries with one value replaced", () => {
    fc.assert(
      fc.property(mutated, ({ channel, payload }) => {
        for (const event of eventsOf(channel, payload)) expectSound(event);
      }),
      { numRuns: 5000 },
    );
  });
});

/** Joins payloads of one provider into one delivery. */
function joined(parts: readonly fc.JsonValue[]): object {
  return {
    object: (parts[0] as { object: string }).object,
    entry: parts.flatMap((part) => (part as { entry: object[] }).entry),
  };
}

const sorted = (events: InboundEvent[]) => events.map((event) => JSON.stringify(event)).sort();

test("shuffled, repeated, joined and divided deliveries read the same", () => {
  for (const [channel, object] of [
    ["phone_messenger", "whatsapp_business_account"],
    ["photo_social", "instagram"],
  ] as const) {
    const own = payloads
      .filter(({ input }) => (input.payload as { object?: string }).object === object)
      .map(({ input }) => input.payload);
    const alone = own.flatMap((payload) => eventsOf(channel, payload));
    expect(alone.length).toBeGreaterThan(10);
    fc.assert(
      fc.property(fc.shuffledSubarray(own, { minLength: own.length }), (order) => {
        expect(sorted(eventsOf(channel, joined(order)))).toEqual(sorted(alone));
      }),
      { numRuns: 300 },
    );
    const keysOf = (events: InboundEvent[]) =>
      new Set(events.flatMap((event) => ("dedupeKey" in event ? [`${event.type}:${event.dedupeKey}`] : [])));
    expect(keysOf(eventsOf(channel, joined([...own, ...own, ...own])))).toEqual(keysOf(alone));
  }
  for (const { input } of payloads) {
    expect(eventsOf(input.channel, input.payload)).toEqual(eventsOf(input.channel, input.payload));
  }
});

describe("a large delivery is read in pieces", () => {
  const piecesOf = (channel: string, payload: object) => {
    const body = new TextEncoder().encode(JSON.stringify(payload));
    const webhook = channels.get(channel)?.webhook;
    if (webhook === undefined) throw new Error("no channel");
    const { pauses, value } = workDone(webhook.read(body, "BOT1"));
    return { pauses, events: "events" in value ? value.events : [] };
  };
  const message = (id: number) => ({
    from: "52",
    id: `wamid.${id}`,
    timestamp: "1760000000",
    type: "text",
    text: { body: "x" },
  });
  const metadata = { phone_number_id: "PNID1" };

  test("1,000 entries of 10 messages", () => {
    const entry = Array.from({ length: 1000 }, (_, at) => ({
      changes: [
        {
          field: "messages",
          value: { metadata, messages: Array.from({ length: 10 }, (_, index) => message(at * 10 + index)) },
        },
      ],
    }));
    const { pauses, events } = piecesOf("phone_messenger", { object: "whatsapp_business_account", entry });
    expect(events).toHaveLength(10_000);
    expect(events.every(({ type }) => type === "message")).toBe(true);
    expect(pauses).toBeGreaterThan((10_000 * 200) / stepsPerPiece);
  });

  test("100,000 entries without a change", () => {
    const entry = Array.from({ length: 100_000 }, () => ({}));
    const read = piecesOf("phone_messenger", { object: "whatsapp_business_account", entry });
    // Reading the JSON alone takes pieces, too.
    expect(read.pauses).toBeGreaterThan(piecesOf("phone_messenger", { object: "other", entry }).pauses);
  });

  test("as many contacts as messages cost no more for each", () => {
    const value = {
      metadata,
      contacts: Array.from({ length: 20_000 }, (_, at) => ({ wa_id: `${at}`, profile: { name: "A" } })),
      messages: Array.from({ length: 20_000 }, (_, at) => ({ ...message(at), from: `${at}` })),
    };
    const { events } = piecesOf("phone_messenger", {
      object: "whatsapp_business_account",
      entry: [{ changes: [{ field: "messages", value }] }],
    });
    expect(events).toHaveLength(20_000);
    expect(events[19_999]).toMatchObject({ contactName: "A" });
  });

  test("20,000 Instagram messages", () => {
    const messaging = Array.from({ length: 20_000 }, (_, at) => ({
      sender: { id: "1" },
      recipient: { id: "2" },
      timestamp: 1,
      message: { mid: `m_${at}`, text: "x" },
    }));
    const { pauses, events } = piecesOf("photo_social", {
      object: "instagram",
      entry: [{ id: "2", messaging }],
    });
    expect(events).toHaveLength(20_000);
    expect(pauses).toBeGreaterThan(10);
  });
});

describe("hostile text stays text", () => {
  const texts = injections.entries as unknown as { id: string; input: { source: string; text: string } }[];
  test.each(texts)("$id $input.source", ({ input: { text } }) => {
    const value = {
      metadata: { phone_number_id: "PNID1" },
      contacts: [{ wa_id: "52", profile: { name: text } }],
      messages: [
        { from: "52", id: "1", type: "image", image: { id: "M", caption: text } },
        { from: "52", id: "2", type: "document", document: { id: "M", filename: text } },
      ],
    };
    const events = eventsOf("phone_messenger", {
      object: "whatsapp_business_account",
      entry: [{ changes: [{ field: "messages", value }] }],
    });
    expect(events).toMatchObject([
      { type: "message", account: "PNID1", text, contactName: text, sender: { address: "52" } },
      { type: "message", account: "PNID1", text: "", sender: { address: "52" } },
    ]);
    for (const event of events) expectSound(event);
  });
});
