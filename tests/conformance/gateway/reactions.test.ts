import { describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { enqueueMessage } from "../../../src/channels/outbox/enqueue-message.ts";
import type { ChannelName } from "../../../src/contracts/gateway/channels.ts";
import { newId } from "../../../src/kit/id.ts";
import { appendTrail } from "../../../src/services/gateway/trail/append-trail.ts";
import { asAdmin, deliver, processAll, startGateway, type TestGateway } from "../../support/gateway.ts";
import { onEachEngine, sqliteEngine } from "../../support/storage-engines.ts";

const startAt = "2026-03-10T12:00:00.000Z";
/** Time of the first reaction, before the deliveries arrive. */
const startSeconds = Date.parse(startAt) / 1000 - 600;
const key = (tenant: string) => `apk_key-of-tenant-${tenant}`;

interface World extends TestGateway {
  accounts: Record<string, string>;
}

/** Two tenants, each with an account on each channel. */
async function startWorld(engine: Parameters<typeof startGateway>[0] = sqliteEngine): Promise<World> {
  const gateway = await startGateway(engine, undefined, startAt);
  const accounts: World["accounts"] = {};
  for (const tenant of ["a", "b"]) {
    for (const channel of ["phone_messenger", "bot_messenger", "photo_social"] as const) {
      const id = await gateway.account(tenant, channel, `${channel}-${tenant}`);
      accounts[`${channel}-${tenant}`] = id;
      const { status } = await gateway.call("POST", "/admin/bindings", {
        headers: asAdmin,
        body: {
          tenant_id: tenant,
          account_id: id,
          entry_agent: "support",
          config: { platform_api_key: key(tenant) },
        },
      });
      expect(status).toBe(201);
    }
  }
  return Object.assign(gateway, { accounts });
}

interface SentMessage {
  tenant?: string;
  channel?: ChannelName;
  recipient?: string;
  /** The provider's id. */
  as: string;
  /** Ids of earlier calls of the same message. */
  parts?: string[];
  run?: string | null;
}

/** A message that was sent, as the outbox keeps it. */
async function sent(
  { deps: { storage }, accounts, clock }: World,
  {
    tenant = "a",
    channel = "phone_messenger",
    recipient = "5551",
    as,
    parts = [],
    run = "run-1",
  }: SentMessage,
): Promise<string> {
  const { outbox } = storage.tables;
  const id = newId();
  const accountId = accounts[`${channel}-${tenant}`] ?? "";
  await storage.transact(async (tx) => {
    await enqueueMessage(
      tx,
      storage.tables,
      {
        id,
        tenantId: tenant,
        channel,
        accountId,
        recipient,
        conversationId: null,
        source: "agent_reply",
        payload: { text: "An answer." },
        invocationId: run ?? undefined,
      },
      clock.now(),
    );
    await tx
      .update(outbox)
      .set({ status: "sent", lane: null, channelMessageId: as, sentAt: clock.now() })
      .where(eq(outbox.id, id));
    for (const part of parts) {
      const of = { messageId: id, tenantId: tenant, accountId, channel, direction: "outbound" as const };
      const at = clock.now();
      await appendTrail(tx, storage.tables, newId, [
        { ...of, event: "attempt", channelMessageId: part, details: { outcome: "continue" }, at },
      ]);
    }
  });
  return id;
}

let deliveries = 0;

/** A delivery of WhatsApp with a reaction; `emoji` undefined removes it. */
const whatsApp = (
  gateway: World,
  about: string,
  emoji: string | undefined,
  { after = 0, from = "5551", id = `wamid.r${++deliveries}`, tenant = "a" } = {},
) =>
  deliver(gateway, "phone_messenger", {
    object: "whatsapp_business_account",
    entry: [
      {
        changes: [
          {
            field: "messages",
            value: {
              metadata: { phone_number_id: `phone_messenger-${tenant}` },
              messages: [
                {
                  id,
                  from,
                  timestamp: String(startSeconds + after),
                  type: "reaction",
                  reaction: { message_id: about, ...(emoji !== undefined && { emoji }) },
                },
              ],
            },
          },
        ],
      },
    ],
  });

const telegram = (
  gateway: World,
  chat: number,
  about: number,
  names: object[],
  { after = 0, user = 7 } = {},
) =>
  deliver(
    gateway,
    "bot_messenger",
    {
      update_id: ++deliveries,
      message_reaction: {
        chat: { id: chat, type: "private" },
        message_id: about,
        user: { id: user },
        date: startSeconds + after,
        old_reaction: [],
        new_reaction: names,
      },
    },
    { account: "bot_messenger-a" },
  );

const instagram = (gateway: World, about: string, reaction: object, { after = 0 } = {}) =>
  deliver(gateway, "photo_social", {
    object: "instagram",
    entry: [
      {
        id: "photo_social-a",
        messaging: [
          {
            sender: { id: "IGSID1" },
            recipient: { id: "photo_social-a" },
            timestamp: (startSeconds + after) * 1000,
            reaction: { mid: about, ...reaction },
          },
        ],
      },
    ],
  });

/**
 * Verdicts that stand at the platform: run, rating, emoji and the key that they came with, in the order of their runs, because chats are
 * processed side by side.
 */
const standing = ({ verdicts }: World) =>
  [...verdicts.kept.values()]
    .map(({ invocationId, apiKey, given }) => [invocationId, given?.rating, given?.emoji, apiKey].join(" "))
    .sort();

/** How the reactions ended, in the order of their arrival. */
const outcomes = async ({ deps: { storage } }: World) =>
  (await storage.read.select().from(storage.tables.inbound).orderBy(storage.tables.inbound.id))
    .filter(({ kind }) => kind === "reaction")
    .map(({ outcome, state }) => (state === "done" ? outcome : state));

const up = "run-1 up 👍 apk_key-of-tenant-a";

describe("a reaction to an answer", () => {
  type Play = (gateway: World) => Promise<unknown>;
  const table: [what: string, play: Play, verdicts: string[], ends: string[]][] = [
    ["counts for the run", (g) => whatsApp(g, "w1", "👍"), [up], ["feedback"]],
    [
      "counts with a skin tone",
      (g) => whatsApp(g, "w1", "👎🏽"),
      ["run-1 down 👎🏽 apk_key-of-tenant-a"],
      ["feedback"],
    ],
    ["that says neither counts for nothing", (g) => whatsApp(g, "w1", "😂"), [], ["feedback"]],
    [
      "is removed by an empty emoji",
      async (g) => [await whatsApp(g, "w1", "👍"), await whatsApp(g, "w1", "", { after: 1 })],
      [],
      ["feedback", "feedback"],
    ],
    [
      "is removed by an absent emoji",
      async (g) => [await whatsApp(g, "w1", "👍"), await whatsApp(g, "w1", undefined, { after: 1 })],
      [],
      ["feedback", "feedback"],
    ],
    [
      "is replaced by another",
      async (g) => [await whatsApp(g, "w1", "👍"), await whatsApp(g, "w1", "👎", { after: 1 })],
      ["run-1 down 👎 apk_key-of-tenant-a"],
      ["feedback", "feedback"],
    ],
    [
      "is replaced by one that says neither",
      async (g) => [await whatsApp(g, "w1", "👍"), await whatsApp(g, "w1", "😮", { after: 1 })],
      [],
      ["feedback", "feedback"],
    ],
    [
      "that arrives after a newer one changes nothing",
      async (g) => {
        await whatsApp(g, "w1", "👍", { after: -1 });
        await processAll(g);
        await whatsApp(g, "w1", "👎", { after: -2 });
      },
      [up],
      ["feedback", "older_reaction"],
    ],
    [
      "that arrives after its removal changes nothing",
      async (g) => {
        await whatsApp(g, "w1", "", { after: -1 });
        await processAll(g);
        await whatsApp(g, "w1", "👍", { after: -2 });
      },
      [],
      ["feedback", "older_reaction"],
    ],
    [
      "delivered twice counts once",
      async (g) => [
        await whatsApp(g, "w1", "👍", { id: "same" }),
        await whatsApp(g, "w1", "👍", { id: "same" }),
      ],
      [up],
      ["feedback"],
    ],
    [
      "to an early part of a message counts for its run",
      (g) => whatsApp(g, "w1-first", "👍"),
      [up],
      ["feedback"],
    ],
    [
      "to one of several messages counts until a newer one to another",
      async (g) => [await whatsApp(g, "w1", "👍"), await whatsApp(g, "w2", "👎", { after: 1 })],
      ["run-1 down 👎 apk_key-of-tenant-a"],
      ["feedback", "feedback"],
    ],
    [
      "stands again when the newer one to another message is removed",
      async (g) => [
        await whatsApp(g, "w1", "👍"),
        await whatsApp(g, "w2", "👎", { after: -1 }),
        await whatsApp(g, "w2", "", { after: 0 }),
      ],
      [up],
      ["feedback", "feedback", "feedback"],
    ],
    ["of a person, not of a run, counts for nothing", (g) => whatsApp(g, "by-hand", "👍"), [], ["reaction"]],
    [
      "to the user's own message counts for nothing",
      (g) => whatsApp(g, "wamid.own", "👍"),
      [],
      ["unknown_message"],
    ],
    [
      "to an unknown message counts for nothing",
      (g) => whatsApp(g, "nothing", "👍"),
      [],
      ["unknown_message"],
    ],
    [
      "to another tenant's message counts for nothing",
      (g) => whatsApp(g, "w1", "👍", { tenant: "b" }),
      [],
      ["unknown_message"],
    ],
    [
      "in Telegram counts within its chat only",
      async (g) => [
        await telegram(g, 7, 12, [{ type: "emoji", emoji: "❤" }]),
        await telegram(g, 8, 12, [{ type: "emoji", emoji: "👎" }], { user: 8 }),
      ],
      ["run-7 up ❤ apk_key-of-tenant-a", "run-8 down 👎 apk_key-of-tenant-a"],
      ["feedback", "feedback"],
    ],
    [
      "in Telegram, the first that rates counts, and an empty list removes it",
      async (g) => {
        await telegram(g, 7, 12, [
          { type: "custom_emoji", custom_emoji_id: "1" },
          { type: "emoji", emoji: "👎" },
        ]);
        await processAll(g);
        expect(standing(g)).toEqual(["run-7 down 👎 apk_key-of-tenant-a"]);
        await telegram(g, 7, 12, [], { after: 1 });
      },
      [],
      ["feedback", "feedback"],
    ],
    [
      "in Instagram counts by emoji or name",
      (g) => instagram(g, "ig1", { action: "react", reaction: "love" }),
      ["run-9 up love apk_key-of-tenant-a"],
      ["feedback"],
    ],
    [
      "in Instagram is removed by unreact",
      async (g) => [
        await instagram(g, "ig1", { action: "react", reaction: "love", emoji: "❤" }),
        await instagram(g, "ig1", { action: "unreact" }, { after: 1 }),
      ],
      [],
      ["feedback", "feedback"],
    ],
  ];

  onEachEngine("is defined for each case", (engine) => {
    test.each(table)("%s", async (_, play, verdicts, ends) => {
      await using gateway = await startWorld(engine);
      await sent(gateway, { as: "w1", parts: ["w1-first"] });
      await sent(gateway, { as: "w2" });
      await sent(gateway, { as: "by-hand", run: null });
      await sent(gateway, { as: "12", channel: "bot_messenger", recipient: "7", run: "run-7" });
      await sent(gateway, { as: "12", channel: "bot_messenger", recipient: "8", run: "run-8" });
      await sent(gateway, { as: "ig1", channel: "photo_social", recipient: "IGSID1", run: "run-9" });
      const answers = [await play(gateway)].flat().filter((answer) => answer !== undefined);
      for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: { queued: 0 } });
      await processAll(gateway);
      expect(standing(gateway)).toEqual(verdicts);
      expect(await outcomes(gateway)).toEqual(ends);
      expect(gateway.platform.calls).toEqual([]);
    });
  });
});
