import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { recordEcho } from "../../../../src/channels/outbox/record-echo.ts";
import { recordReceipt } from "../../../../src/channels/outbox/record-receipt.ts";
import corpus from "../../../corpora/channel_send_errors.json" with { type: "json" };
import { type CorpusEntry, corpusFault } from "../../../support/corpus-faults.ts";
import { type ProviderWorld, startProviderWorld } from "../../../support/gateway-providers.ts";
import type { Fault, ProviderChannel } from "../../../support/provider-stand-in.ts";
import { sqliteEngine } from "../../../support/storage-engines.ts";

let world: ProviderWorld;
beforeAll(async () => {
  world = await startProviderWorld(sqliteEngine);
});
afterAll(() => world[Symbol.asyncDispose]());

let accounts = 0;
const recipient = "5215550002222";

/** Sends one text from a new account while the provider fails in this way, `times` times, and returns what became of it. */
async function play(channel: ProviderChannel, fault: Fault, times = 1, body: object = { text: "hi" }) {
  const account = await world.account(channel, accounts++);
  const before = world.provider.requests.length;
  world.provider.fail(channel, ...Array.from({ length: times }, () => fault));
  const id = await world.send({ channel, recipient, account_id: account, ...body });
  await world.quiet();
  return {
    id,
    account,
    entry: () => world.entry(id),
    accountStatus: async () => (await world.findAccount(account))?.status,
    calls: () => world.provider.requests.length - before,
    /** Lets this much time pass, and what is due then be sent. */
    pass: (ms: number) => world.pass(ms),
    waitMs: async () => {
      const { next_retry_at } = await world.entry(id);
      return Date.parse(next_retry_at ?? "") - world.gateway.clock.now().getTime();
    },
    /** Sends another message of the account, and tells if it left. */
    async anotherLeaves() {
      const other = await world.send({
        channel,
        recipient: "5215550003333",
        account_id: account,
        text: "other",
      });
      // A pause keeps it, so there is nothing to wait for but the worker's next look, which shares the commit of the next write.
      for (let turn = 0; turn < 20; turn++) await world.gateway.deps.storage.check();
      return (await world.entry(other)).status !== "pending";
    },
  };
}

type Played = Awaited<ReturnType<typeof play>>;

/** What the gateway must do with each action of the corpus. */
const checks: Record<string, (entry: CorpusEntry, channel: ProviderChannel, fault: Fault) => Promise<void>> =
  {
    async sent(_entry, channel, fault) {
      const played = await play(channel, fault);
      expect(await played.entry()).toMatchObject({ status: "sent", attempts: 0, last_error: null });
    },
    async final(_entry, channel, fault) {
      await expectFinal(await play(channel, fault));
    },
    async retry(_entry, channel, fault) {
      const played = await play(channel, fault);
      expect(await played.entry()).toMatchObject({ status: "pending", attempts: 1 });
      expect(await played.waitMs()).toBe(2_000);
      await played.pass(2_000);
      expect(await played.entry()).toMatchObject({ status: "sent", attempts: 1 });
      expect(played.calls()).toBe(2);
    },
    "retry-max-3": (_entry, channel, fault) => expectTries(channel, fault, 4),
    "retry-max-2": (_entry, channel, fault) => expectTries(channel, fault, 3),
    async "retry-max-2-if-details-say-429-or-5xx-else-final"(_entry, channel) {
      await expectTries(channel, { kind: "error", code: 131053, text: "The link answered 503" }, 3);
      await expectFinal(await play(channel, { kind: "error", code: 131053, text: "The link answered 404" }));
    },
    "retry-seconds": (_entry, channel, fault) => expectWait(channel, fault, { ms: 6_000, accountWide: true }),
    "retry-minutes": (_entry, channel, fault) =>
      expectWait(channel, fault, { ms: 120_000, accountWide: true }),
    "retry-hours": (_entry, channel, fault) =>
      expectWait(channel, fault, { ms: 3_600_000, accountWide: false }),
    "retry-hours-then-account-alert": async (_entry, channel, fault) => {
      await expectWait(channel, fault, { ms: 3_600_000, accountWide: true });
      expect(world.gateway.logged.map(({ event }) => event)).toContain("outbox.account_alert");
    },
    "retry-conversation-only": (_entry, channel, fault) =>
      expectWait(channel, fault, { ms: 6_000, accountWide: false }),
    "retry-exactly-after-retry_after-for-the-whole-bot": (_entry, channel, fault) =>
      expectWait(channel, fault, { ms: 35_000, accountWide: true }),
    "retry-deferred": (_entry, channel, fault) =>
      expectWait(channel, fault, { ms: 10_072_000, accountWide: true }),
    async "final-account-paused"(_entry, channel, fault) {
      const played = await play(channel, fault);
      expect(await played.entry()).toMatchObject({ status: "pending", attempts: 0 });
      expect(await played.accountStatus()).toBe("paused");
      expect(await played.anotherLeaves()).toBe(false);
      expect(played.calls()).toBe(1);
    },
    async "final-window"(_entry, channel, fault) {
      await expectFinal(await play(channel, fault));
    },
    async ambiguous(_entry, channel, fault) {
      const played = await play(channel, fault);
      expect(await played.entry()).toMatchObject({ status: "pending", attempts: 1 });
      await played.pass(59_999);
      expect(played.calls()).toBe(1);
      await recordReceipt({ ...world.gateway.deps }, played.account, {
        token: played.id,
        status: "delivered",
      });
      await played.pass(60_000);
      expect(await played.entry()).toMatchObject({ status: "sent", delivery_status: "delivered" });
      expect(played.calls()).toBe(1);
    },
    async "retry-once-with-new-id"(_entry, channel) {
      const text = "Bad Request: group chat was upgraded to a supergroup chat";
      const fault: Fault = { kind: "error", code: 400, text, fields: { migrate_to_chat_id: -1001234567890 } };
      const played = await play(channel, fault);
      expect(await played.entry()).toMatchObject({ status: "sent", recipient: "-1001234567890" });
      expect(played.calls()).toBe(2);
      await expectFinal(await play(channel, fault, 2));
    },
    async "retry-once-without-parse_mode"(_entry, channel, fault) {
      // The gateway sends plain text, so there is no markup that it could leave out.
      await expectFinal(await play(channel, fault));
    },
    async ignore(entry) {
      const { deps } = world.gateway;
      world.provider.fail("bot_messenger", corpusFault(entry));
      const [account] = await deps.storage.read.select().from(deps.storage.tables.accounts).limit(1);
      if (account === undefined) throw new Error("There is no account.");
      const credentials = { bot_token: "10000:AAbot-token-0123456789abcdefgh" };
      await world.marks.answerButton({ ...account, channel: "bot_messenger", credentials }, "1");
      expect(world.gateway.logged.filter(({ event }) => event === "channel.mark_failed")).toEqual([]);
    },
  };

async function expectFinal(played: Played): Promise<void> {
  expect(await played.entry()).toMatchObject({ status: "failed", attempts: 1 });
  expect(await played.accountStatus()).toBe("active");
}

async function expectTries(channel: ProviderChannel, fault: Fault, tries: number): Promise<void> {
  const played = await play(channel, fault, tries);
  for (let round = 1; round < tries; round++) await played.pass(20_000);
  expect(await played.entry()).toMatchObject({ status: "failed", attempts: tries });
  expect(played.calls()).toBe(tries);
}

async function expectWait(
  channel: ProviderChannel,
  fault: Fault,
  { ms, accountWide }: { ms: number; accountWide: boolean },
): Promise<void> {
  const played = await play(channel, fault);
  expect(await played.entry()).toMatchObject({ status: "pending", attempts: 0 });
  expect(await played.waitMs()).toBe(ms);
  expect(await played.anotherLeaves()).toBe(!accountWide);
  await played.pass(ms);
  expect(await played.entry()).toMatchObject({ status: "sent", attempts: 0 });
}

describe("each answer of the corpus, through the whole gateway", () => {
  const entries = (corpus.entries as unknown as CorpusEntry[]).filter(({ input }) => input.channel !== "any");
  test.each(entries)("$id $input.channel $why: $expected", async (entry) => {
    const check = checks[entry.expected];
    if (check === undefined) throw new Error(`No check for ${entry.expected}`);
    await check(entry, entry.input.channel as ProviderChannel, corpusFault(entry));
  });
});

describe("on every channel", () => {
  test("a reset after the provider accepted it: one more try on Telegram, and then its outcome is unknown", async () => {
    const played = await play("bot_messenger", { kind: "reset" }, 2);
    expect(await played.entry()).toMatchObject({ status: "pending", attempts: 1 });
    await played.pass(2_000);
    expect(await played.entry()).toMatchObject({ status: "failed", last_error: "outcome_unknown" });
    expect(played.calls()).toBe(2);
  });

  test("an echo settles an unknown outcome on Instagram; another text settles nothing", async () => {
    const played = await play("photo_social", { kind: "reset" });
    const account = { id: played.account, tenantId: "a" };
    const echo = { recipient, hasMedia: false, channelMessageId: "m_1" };
    const ports = { ...world.gateway.deps };
    expect(await recordEcho(ports, account, { ...echo, text: "from the app" })).toBeUndefined();
    expect((await played.entry()).status).toBe("pending");
    expect(await recordEcho(ports, account, { ...echo, text: "hi" })).toBe(played.id);
    expect(await played.entry()).toMatchObject({ status: "sent", channel_message_id: "m_1" });
    await played.pass(60_000);
    expect(played.calls()).toBe(1);
    // The same echo again is known by its id.
    expect(await recordEcho(ports, account, { ...echo, text: "hi" })).toBe(played.id);
  });

  test("an unsettled message is tried again after 60 s without a receipt", async () => {
    const played = await play("phone_messenger", { kind: "server_error", status: 504 });
    await played.pass(60_000);
    expect(await played.entry()).toMatchObject({ status: "sent", attempts: 1 });
    expect(played.calls()).toBe(2);
  });
});

test("a message of two calls continues after the first one, which is never sent twice", async () => {
  const media = [{ kind: "audio", url: "https://files.example.com/a.ogg" }];
  const account = await world.account("phone_messenger", accounts++);
  world.provider.fail("phone_messenger", undefined, { kind: "error", code: 2 });
  const before = world.provider.accepted.length;
  const id = await world.send({
    channel: "phone_messenger",
    recipient,
    account_id: account,
    text: "hi",
    media,
  });
  await world.quiet();
  expect(await world.entry(id)).toMatchObject({ status: "pending", attempts: 1 });
  await world.pass(2_000);
  expect((await world.entry(id)).status).toBe("sent");
  const types = world.provider.accepted.slice(before).map(({ body, token }) => [body.type, token]);
  expect(types).toEqual([
    ["text", id],
    ["audio", `${id}.1`],
  ]);
});

test("a receipt of the first of two calls lets the second one go, and settles no more", async () => {
  const media = [{ kind: "audio", url: "https://files.example.com/a.ogg" }];
  const played = await play("phone_messenger", { kind: "reset" }, 1, { text: "hi", media });
  await recordReceipt({ ...world.gateway.deps }, played.account, { token: played.id, status: "sent" });
  await world.quiet();
  expect((await played.entry()).status).toBe("sent");
  expect(played.calls()).toBe(2);
  expect(world.provider.requests.slice(-2).map(({ body }) => body.type)).toEqual(["text", "audio"]);
});

test("templates, captions and the contact button arrive as the providers write them", async () => {
  const phone = await world.account("phone_messenger", accounts++);
  const bot = await world.account("bot_messenger", accounts++);
  const template = { name: "order_ready", language: "es_MX", params: ["Ana"] };
  await world.send({ channel: "phone_messenger", recipient, account_id: phone, template });
  const media = [{ kind: "image", url: "https://files.example.com/a.png", caption: "A map" }];
  await world.send({ channel: "bot_messenger", recipient: "77", account_id: bot, media });
  await world.quiet();
  const [templated, pictured] = world.provider.accepted
    .slice(-2)
    .sort((a, b) => (a.channel > b.channel ? -1 : 1));
  expect(templated?.body.template).toEqual({
    name: "order_ready",
    language: { code: "es_MX" },
    components: [{ type: "body", parameters: [{ type: "text", text: "Ana" }] }],
  });
  expect(pictured?.body).toMatchObject({
    chat_id: "77",
    photo: "https://files.example.com/a.png",
    caption: "A map",
  });
});
