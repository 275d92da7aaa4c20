import { describe, expect, test } from "bun:test";
import { createChannelMetrics } from "../../../src/channels/channel-metrics.ts";
import { AccountPause } from "../../../src/channels/sending/account-pause.ts";
import type { SendOutcome } from "../../../src/channels/sending/message-api.ts";
import { Receipts } from "../../../src/channels/sending/receipts.ts";
import { ReplySender } from "../../../src/channels/sending/reply-sender.ts";
import { outcomeOfCode } from "../../../src/channels/whatsapp/send-outcome.ts";
import { MetricRegistry } from "../../../src/kit/metrics.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { recordingLogger } from "../../support/recording-logger.ts";

const sent: SendOutcome = { action: "sent" };
const ambiguous: SendOutcome = { action: "ambiguous", code: "broken_off" };
const code = (number: number) => outcomeOfCode(number) ?? sent;

/** A sender whose attempts have these outcomes, the last one repeated, with the times of the attempts in seconds. */
function stageSender(outcomes: readonly SendOutcome[]) {
  const clock = new FakeClock();
  const { log, logged } = recordingLogger();
  const account = new AccountPause(clock);
  const receipts = new Receipts(clock);
  const tries: { at: number; text: string; token: string }[] = [];
  const stop = new AbortController();
  const sender = new ReplySender({
    api: {
      textCharsMax: 4096,
      async sendText({ text, token }) {
        const outcome = outcomes[Math.min(tries.length, outcomes.length - 1)] ?? sent;
        tries.push({ at: Math.round(clock.monotonicMs() / 1000), text, token });
        return outcome;
      },
      outcomeOfCode,
    },
    receipts,
    account,
    metrics: createChannelMetrics(new MetricRegistry(), "phone_messenger", () => 0),
    clock,
    random: () => 0.5,
    log,
  });
  /** Sends and advances the clock until the reply is settled. */
  const send = async (text = "hi", id = "m1") => {
    let result: string | undefined;
    const recipient = { kind: "phone", address: "52" } as const;
    const settled = sender.send({ id, recipient, text }, stop.signal).then((value) => {
      account.leave(id);
      result = value;
    });
    while (result === undefined) await clock.advance(1000);
    await settled;
    return result;
  };
  const note = (token: string, status: string, failedWith?: number) =>
    receipts.note({ token, status, code: failedWith });
  const events = () => logged.map(({ event }) => event);
  return { clock, account, receipts, tries, stop, sender, send, note, events };
}

const instants = (stage: ReturnType<typeof stageSender>) => stage.tries.map(({ at }) => at);

describe("tries are repeated as their error wants it", () => {
  const table: [what: string, outcomes: SendOutcome[], at: number[], result: string][] = [
    ["taken", [sent], [0], "sent"],
    ["soon", [code(2), code(131016), sent], [0, 2, 7], "sent"],
    ["soon, and given up", [code(2)], [0, 2, 7, 22, 67, 187, 307], "failed"],
    ["at most three times", [code(131000)], [0, 2, 7, 22], "failed"],
    ["for one recipient", [code(131056), sent], [0, 6], "sent"],
    ["after minutes", [code(80007), sent], [0, 60], "sent"],
    [
      "after the wait that is given",
      [{ ...code(2), retryAfterMs: 90_000 } as SendOutcome, sent],
      [0, 90],
      "sent",
    ],
    [
      "not after a wait that is too long",
      [{ ...code(2), retryAfterMs: 901_000 } as SendOutcome],
      [0],
      "failed",
    ],
    ["never, when it is final", [code(131047)], [0], "failed"],
    ["never, when it would take hours", [code(131048)], [0], "failed"],
  ];
  test.each(table)("%s", async (_, outcomes, at, result) => {
    const stage = stageSender(outcomes);
    expect(await stage.send()).toBe(result);
    expect(instants(stage)).toEqual(at);
  });
});

test("after an error of the whole number, others wait as well; after one of a recipient they don't", async () => {
  for (const [number, other] of [
    [130429, 5],
    [131056, 0],
  ] as const) {
    const stage = stageSender([code(number), sent]);
    const recipient = { kind: "phone", address: "52" } as const;
    const first = stage.sender.send({ id: "m1", recipient, text: "a" }, stage.stop.signal);
    await stage.clock.advance(0);
    const second = stage.sender.send({ id: "m2", recipient, text: "b" }, stage.stop.signal);
    await stage.clock.advance(20_000);
    expect([await first, await second]).toEqual(["sent", "sent"]);
    expect(stage.tries.find(({ text }) => text === "b")?.at).toBe(other);
  }
});

describe("a try that may have succeeded", () => {
  test("is settled by a status, which may come before the connection breaks", async () => {
    const stage = stageSender([ambiguous]);
    const recipient = { kind: "phone", address: "52" } as const;
    const result = stage.sender.send({ id: "m1", recipient, text: "hi" }, stage.stop.signal);
    stage.note("m1.0", "sent");
    expect(await result).toBe("sent");
    expect(stage.tries).toHaveLength(1);
  });

  test("waits a minute for it", async () => {
    const stage = stageSender([ambiguous]);
    stage.clock.timer(59_000, () => stage.note("m1.0", "read"));
    expect(await stage.send()).toBe("sent");
    expect(stage.tries).toHaveLength(1);
  });

  test("is made once more without one, and not again", async () => {
    const stage = stageSender([ambiguous]);
    expect(await stage.send()).toBe("unknown");
    expect(instants(stage)).toEqual([0, 60]);
    expect(new Set(stage.tries.map(({ token }) => token)).size).toBe(1);
    expect(stage.events()).toEqual(["channel.sent_again", "channel.reply_unknown"]);
  });

  test("has failed when its status says so, for the reason that this gives", async () => {
    const final = stageSender([ambiguous]);
    final.clock.timer(5000, () => final.note("m1.0", "failed", 131047));
    expect(await final.send()).toBe("failed");
    const passing = stageSender([ambiguous, sent]);
    passing.clock.timer(5000, () => passing.note("m1.0", "failed", 131016));
    expect(await passing.send()).toBe("sent");
    expect(instants(passing)).toEqual([0, 7]);
  });

  test("is not settled by a status of another message", async () => {
    const stage = stageSender([ambiguous]);
    stage.clock.timer(5000, () => stage.note("m2.0", "sent"));
    expect(await stage.send()).toBe("unknown");
  });
});

describe("an error of the account", () => {
  test("pauses it; it is tried again after growing pauses, and the answer expires after a quarter of an hour", async () => {
    const stage = stageSender([code(190)]);
    expect(await stage.send()).toBe("failed");
    expect(instants(stage)).toEqual([0, 60, 180, 480]);
    expect(stage.account.state).toEqual({ code: "190", since: new Date("2026-01-01T00:00:00.000Z") });
    expect(stage.events()).toEqual(["channel.paused", "channel.reply_failed"]);
  });

  test("holds back all others, of which one tries when it is time; what the provider takes ends the pause for all", async () => {
    const stage = stageSender([code(190), code(190), sent]);
    const recipient = { kind: "phone", address: "52" } as const;
    const replies = ["m1", "m2", "m3", "m4"].map((id) =>
      stage.sender
        .send({ id, recipient, text: id }, stage.stop.signal)
        .finally(() => stage.account.leave(id)),
    );
    await stage.clock.advance(600_000);
    expect(await Promise.all(replies)).toEqual(["sent", "sent", "sent", "sent"]);
    // All four were being sent when the first was refused.
    expect(stage.account.state).toBeUndefined();
    expect(stage.events().filter((event) => event === "channel.resumed")).toHaveLength(1);
  });

  test("of a message that is refused for itself is none", async () => {
    const stage = stageSender([code(190), code(131047), sent]);
    expect(await stage.send("a", "m1")).toBe("failed");
    expect(stage.account.state).toBeUndefined();
    expect(await stage.send("b", "m2")).toBe("sent");
  });
});

test("a long answer goes out in parts, in order; when one can't be sent the rest isn't", async () => {
  const text = `${"a".repeat(4000)}\n\n${"b".repeat(4000)}\n\n${"c".repeat(4000)}`;
  const stage = stageSender([sent]);
  expect(await stage.send(text)).toBe("sent");
  expect(stage.tries.map((one) => [one.text.charAt(0), one.text.length, one.token])).toEqual([
    ["a", 4000, "m1.0"],
    ["b", 4000, "m1.1"],
    ["c", 4000, "m1.2"],
  ]);
  const broken = stageSender([sent, code(131026), sent]);
  expect(await broken.send(text)).toBe("failed");
  expect(broken.tries).toHaveLength(2);
});

describe("when the process stops", () => {
  test.each([
    ["before anything was sent", [code(2)], "interrupted"],
    ["after a part", [sent, code(2)], "unknown"],
    ["while it isn't known whether it arrived", [ambiguous], "unknown"],
  ] as const)("%s", async (_, outcomes, result) => {
    const stage = stageSender(outcomes);
    const text = `${"a".repeat(4000)}\n\n${"b".repeat(4000)}`;
    const recipient = { kind: "phone", address: "52" } as const;
    const sending = stage.sender.send({ id: "m1", recipient, text }, stage.stop.signal);
    await stage.clock.advance(1000);
    stage.stop.abort(new Error("stop"));
    expect(await sending).toBe(result);
    expect(stage.clock.pending).toBe(0);
  });
});
