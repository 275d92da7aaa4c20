import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { channels } from "../../../src/channels/channel-registry.ts";
import { type CallResult, resultOfFault } from "../../../src/channels/sending/send-result.ts";
import corpus from "../../corpora/channel_send_errors.json" with { type: "json" };
import { type SenderWorld, standInAccounts, startSenders } from "../../support/channel-senders.ts";
import { type CorpusEntry, corpusFault } from "../../support/corpus-faults.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import type { Fault, ProviderChannel } from "../../support/provider-stand-in.ts";
import { sendMessage } from "../../support/send-message.ts";

let world: SenderWorld;
beforeAll(async () => {
  world = await startSenders();
});
afterAll(() => world[Symbol.asyncDispose]());

const entries = corpus.entries as unknown as CorpusEntry[];

const to = { kind: "phone", address: "5215550002222" } as const;

/** Sends one text while the provider fails in this way. */
async function sendWith(channel: ProviderChannel, fault: Fault | undefined, fields: object = {}) {
  world.provider.fail(channel, fault);
  return await sendMessage(world.sender(channel), { to, text: "hi", ...fields });
}

/** The corpus's actions as results. */
const results: Record<string, object> = {
  sent: { outcome: "accepted" },
  retry: { outcome: "retry", afterMs: undefined },
  "retry-max-3": { outcome: "retry", retriesMax: 3 },
  "retry-max-2": { outcome: "retry", retriesMax: 2 },
  "retry-max-2-if-details-say-429-or-5xx-else-final": { outcome: "final" },
  "retry-seconds": { outcome: "retry", scope: "account", afterMs: 6000 },
  "retry-minutes": { outcome: "retry", scope: "account", afterMs: 120_000 },
  "retry-hours": { outcome: "retry", afterMs: 3_600_000 },
  "retry-hours-then-account-alert": { outcome: "retry", afterMs: 3_600_000, scope: "account", alerts: true },
  "retry-conversation-only": { outcome: "retry", scope: "recipient", afterMs: 6000 },
  "retry-account-alert": { outcome: "retry", scope: "account", alerts: true },
  "retry-exactly-after-retry_after-for-the-whole-bot": {
    outcome: "retry",
    scope: "account",
    afterMs: 35_000,
  },
  "retry-deferred": { outcome: "retry", scope: "account", afterMs: 10_072_000 },
  final: { outcome: "final", isWindowClosed: false },
  "final-window": { outcome: "final", isWindowClosed: true },
  "final-account-paused": { outcome: "pause", alert: expect.stringContaining("refuses the account") },
  ambiguous: { outcome: "unknown" },
};

describe("each answer of the corpus has the action of the corpus", () => {
  const special = new Set(["retry-once-with-new-id", "retry-once-without-parse_mode", "ignore"]);
  const plain = entries.filter(({ input, expected }) => input.channel !== "any" && !special.has(expected));
  test.each(plain)("$id $input.channel $why: $expected", async (entry) => {
    expect(Object.keys(results)).toContain(entry.expected);
    const result = await sendWith(entry.input.channel as ProviderChannel, corpusFault(entry));
    expect(result).toMatchObject(results[entry.expected] ?? {});
  });

  test("a group that moved is sent to once more at its new address", async () => {
    const text = "Bad Request: group chat was upgraded to a supergroup chat";
    const moved: Fault = { kind: "error", code: 400, text, fields: { migrate_to_chat_id: -1001234567890 } };
    const before = world.provider.accepted.length;
    const address = { kind: "id", address: "-1001234567890" } as const;
    expect(await sendWith("bot_messenger", moved)).toMatchObject({ outcome: "accepted", movedTo: address });
    expect(world.provider.accepted.slice(before).map((send) => send.to)).toEqual([address.address]);
    world.provider.fail("bot_messenger", moved);
    expect(await sendWith("bot_messenger", moved)).toMatchObject({ outcome: "final" });
  });

  test("a text whose markup the provider can't read is sent once more without it", async () => {
    const fault: Fault = { kind: "error", code: 400, text: "Bad Request: can't parse entities: byte 3" };
    const marked = { html: "<b>hi</b>" };
    expect(await sendWith("bot_messenger", fault, marked)).toMatchObject({ outcome: "accepted" });
    const last = world.provider.accepted.at(-1)?.body;
    expect([last?.parse_mode, last?.text]).toEqual([undefined, "hi"]);
    world.provider.fail("bot_messenger", fault);
    expect(await sendWith("bot_messenger", fault, marked)).toMatchObject({ outcome: "final" });
    expect(await sendWith("bot_messenger", fault)).toMatchObject({ outcome: "final" });
  });

  test("a late answer to a button changes nothing", async () => {
    const text = entries.find(({ expected }) => expected === "ignore")?.input.description ?? "";
    world.provider.fail("bot_messenger", { kind: "error", code: 400, text });
    expect(await world.sender("bot_messenger").answerButton?.("1")).toMatchObject({ outcome: "accepted" });
  });
});

describe.each(standInAccounts.map(({ channel }) => channel))("%s without an answer", (channel) => {
  test("no server listens: nothing was sent", async () => {
    const sender = world.sender(channel, { base: "http://127.0.0.1:1" });
    const result = await sendMessage(sender, { to, text: "hi" });
    expect(result).toMatchObject({ outcome: "retry", code: "no_connection" });
  });

  test("a reset after the provider accepted it", async () => {
    const before = world.provider.accepted.length;
    expect(await sendWith(channel, { kind: "reset" })).toMatchObject({
      outcome: "unknown",
      code: "broken_off",
    });
    expect(world.provider.accepted).toHaveLength(before + 1);
  });

  test("15 s of silence after the provider accepted it", async () => {
    const clock = new FakeClock();
    const before = world.provider.accepted.length;
    world.provider.fail(channel, { kind: "silent" });
    const result = sendMessage(world.sender(channel, { clock }), { to, text: "hi" });
    while (world.provider.accepted.length === before) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(15_000);
    expect(await result).toMatchObject({ outcome: "unknown", code: "send_timed_out" });
  });

  test("a gateway's timeout", async () => {
    const fault: Fault = { kind: "server_error", status: 504 };
    expect(await sendWith(channel, fault)).toMatchObject({ outcome: "unknown" });
  });
});

test.each(["ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED"])("%s: it never left", (code) => {
  const fault = Object.assign(new TypeError("no"), { code });
  expect(resultOfFault(fault)).toMatchObject({ outcome: "retry", scope: "recipient", code: "no_connection" });
});

test("a certificate that is not trusted: nothing was sent, and the operator's log says so", () => {
  const fault = Object.assign(new TypeError("no"), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
  const expected = { outcome: "retry", scope: "account", alerts: true, code: "no_trusted_connection" };
  expect(resultOfFault(fault)).toMatchObject(expected);
});

/** Rows of the providers' pages that the corpus leaves out. */
const further: [channel: ProviderChannel, fault: Fault, expected: Partial<CallResult>][] = [
  ...[0, 3, 10, 33, 190, 200, 250, 299, 368, 131005, 131031, 131037, 131042, 131045].map(
    (code): (typeof further)[number] => ["phone_messenger", { kind: "error", code }, { outcome: "pause" }],
  ),
  ...[
    100, 130472, 130497, 131008, 131009, 131021, 131026, 131030, 131049, 131050, 131051, 131052, 131062,
    131063, 131064, 132000, 132008, 132016, 132068, 135000, 137000,
  ].map((code): (typeof further)[number] => [
    "phone_messenger",
    { kind: "error", code },
    { outcome: "final" },
  ]),
  ...[4, 80007, 131057].map((code): (typeof further)[number] => [
    "phone_messenger",
    { kind: "error", code },
    { outcome: "retry", afterMs: 120_000, scope: "account" },
  ]),
  ["phone_messenger", { kind: "error", code: 131047 }, { outcome: "final", isWindowClosed: true }],
  ["phone_messenger", { kind: "error", code: 131000 }, { outcome: "retry", retriesMax: 3 }],
  ["phone_messenger", { kind: "error", code: 131053, text: "HTTP 503" }, { outcome: "retry", retriesMax: 2 }],
  ["phone_messenger", { kind: "error", code: 131053, text: "HTTP 404" }, { outcome: "final" }],
  [
    "phone_messenger",
    { kind: "throttled", retryAfter: 7 },
    { outcome: "retry", afterMs: 7000, scope: "account" },
  ],
  ["phone_messenger", { kind: "error", code: 999_001 }, { outcome: "final", code: "999001" }],
  ["phone_messenger", { kind: "error", code: 999_001, status: 500 }, { outcome: "retry" }],
  ["bot_messenger", { kind: "error", code: 401, text: "Unauthorized" }, { outcome: "pause" }],
  [
    "bot_messenger",
    { kind: "error", code: 403, text: "Forbidden: bot was blocked by the user" },
    { outcome: "final" },
  ],
  ["bot_messenger", { kind: "error", code: 400, text: "Bad Request: something new" }, { outcome: "final" }],
  ["bot_messenger", { kind: "server_error", status: 502, body: "<html>" }, { outcome: "retry" }],
  ["bot_messenger", { kind: "answer", status: 200, body: "<html>" }, { outcome: "unknown" }],
  ["bot_messenger", { kind: "answer", status: 200, body: '{"ok":true,"result":{}}' }, { outcome: "unknown" }],
  ["photo_social", { kind: "error", code: 613 }, { outcome: "retry", afterMs: 120_000 }],
  ["photo_social", { kind: "error", code: 2, subcode: 1545133 }, { outcome: "retry" }],
  ["photo_social", { kind: "error", code: 100, subcode: 2534014 }, { outcome: "final" }],
  ["photo_social", { kind: "error", code: 190, subcode: 460 }, { outcome: "pause" }],
  ["photo_social", { kind: "error", code: 10, subcode: 99 }, { outcome: "retry", retriesMax: 1 }],
  ["photo_social", { kind: "error", code: 999_001 }, { outcome: "retry", retriesMax: 1, code: "999001" }],
  [
    "photo_social",
    { kind: "error", code: 999_001, status: 500 },
    { outcome: "retry", retriesMax: undefined },
  ],
  ["photo_social", { kind: "server_error", status: 503 }, { outcome: "retry" }],
  ["photo_social", { kind: "answer", status: 200, body: "{}" }, { outcome: "unknown" }],
];
describe("beyond the corpus", () => {
  test.each(further)("%s %j", async (channel, fault, expected) => {
    expect(await sendWith(channel, fault)).toMatchObject(expected);
  });

  test("unknown errors are logged, known ones are not", async () => {
    const logsOf = async (channel: ProviderChannel, fault: Fault) => {
      const before = world.logged.length;
      await sendWith(channel, fault);
      return world.logged.slice(before);
    };
    for (const channel of ["phone_messenger", "photo_social"] as const) {
      expect(await logsOf(channel, { kind: "error", code: 777, subcode: 8 })).toMatchObject([
        {
          level: "warn",
          event: "channel.unknown_error",
          fields: { channel, code: 777, subcode: 8, status: 400 },
        },
      ]);
      expect(await logsOf(channel, { kind: "error", code: 190 })).toEqual([]);
    }
    expect(
      await logsOf("bot_messenger", { kind: "error", code: 400, text: "Bad Request: new" }),
    ).toMatchObject([{ event: "channel.unknown_error", fields: { channel: "bot_messenger", code: 400 } }]);
    expect(await logsOf("bot_messenger", { kind: "error", code: 403, text: "no" })).toEqual([]);
  });
});

test("no result and no log contains a token, for every answer of the provider", async () => {
  const seen: string[] = [];
  for (const { channel, token } of standInAccounts) {
    const echoed = `no ${token} ${encodeURIComponent(token)} ${Buffer.from(token).toString("base64")} https://x/bot${token}/y`;
    for (const code of [100, 190, 400, 401, 403, 429, 500, 777]) {
      seen.push(JSON.stringify(await sendWith(channel, { kind: "error", code, text: echoed })));
    }
    const unreachable = world.sender(channel, { base: "http://127.0.0.1:1" });
    seen.push(JSON.stringify(await sendMessage(unreachable, { to, text: "x" })));
  }
  const all = seen.join() + JSON.stringify(world.logged);
  for (const { token } of standInAccounts) {
    const secret = token.split(":").at(-1) ?? token;
    for (const spelling of [
      token,
      secret,
      encodeURIComponent(token),
      Buffer.from(token).toString("base64"),
    ]) {
      expect(all).not.toContain(spelling);
    }
  }
});

test("a wrong token pauses the account", async () => {
  for (const { channel } of standInAccounts) {
    const result = await sendMessage(world.sender(channel, { token: "1:wrong-token" }), { to, text: "x" });
    expect(result.outcome).toBe("pause");
  }
  expect(
    await sendMessage(world.sender("bot_messenger", { token: "malformed" }), { to, text: "x" }),
  ).toMatchObject({
    outcome: "pause",
    code: "404",
  });
});

test("channels without a provider have no sender", () => {
  expect(
    [...channels.values()].filter((one) => one.createSender === undefined).map(({ name }) => name),
  ).toEqual(["webchat", "echo"]);
});
