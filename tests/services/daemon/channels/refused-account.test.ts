import { expect, test } from "bun:test";
import type { MessageSender, SendResult } from "../../../../src/channels/outbox/message-sender.ts";
import { restOf } from "../../../../src/services/daemon/channels/channel-account.ts";
import { tryingAlone } from "../../../../src/services/daemon/channels/refused-account.ts";
import { recordingLogger } from "../../../support/recording-logger.ts";

const account = {
  id: "PNID1",
  tenantId: "operator",
  channel: "phone_messenger" as const,
  externalId: "PNID1",
  credentials: {},
  emulated: false,
};

/** A sender whose calls end when the test says how. */
function staged() {
  const calls: PromiseWithResolvers<SendResult>[] = [];
  const { log, logged } = recordingLogger();
  const provider = {
    async send() {
      const call = Promise.withResolvers<SendResult>();
      calls.push(call);
      return { result: await call.promise, channelMessageId: undefined };
    },
  } as unknown as MessageSender;
  const sender = tryingAlone(provider, log);
  const send = async (token: string) =>
    (await sender.send(account, { token, recipient: "52" }, 0)).result.action;
  return { calls, send, events: () => logged.map(({ event }) => event) };
}

const refusal: SendResult = { action: "pause", code: "190" };

test("after a refusal of the account one message at a time is sent, and the others wait without a call", async () => {
  const { calls, send, events } = staged();
  const first = send("a");
  calls[0]?.resolve(refusal);
  expect(await first).toBe("pause");
  const probe = send("a");
  expect(await send("b")).toBe("paced");
  expect(calls).toHaveLength(2);
  calls[1]?.resolve(refusal);
  expect(await probe).toBe("pause");
  const again = send("b");
  calls[2]?.resolve({ action: "sent" });
  expect(await again).toBe("sent");
  const both = [send("a"), send("c")];
  expect(calls).toHaveLength(5);
  for (const call of calls) call.resolve({ action: "sent" });
  expect(await Promise.all(both)).toEqual(["sent", "sent"]);
  expect(events()).toEqual(["channel.paused", "channel.resumed"]);
});

test("a message that is refused for itself shows that the account works; an unknown outcome doesn't", async () => {
  for (const [result, isWorking] of [
    [{ action: "final", code: "131047" }, true],
    [{ action: "unknown", code: "broken_off" }, false],
  ] as const) {
    const { calls, send, events } = staged();
    const first = send("a");
    calls[0]?.resolve(refusal);
    await first;
    const probe = send("a");
    calls[1]?.resolve(result);
    await probe;
    expect(events().includes("channel.resumed")).toBe(isWorking);
  }
});

test("an account rests for 1, 2, 5 and then 15 minutes", () => {
  const minute = 60_000;
  expect([0, 1, 3, 8, 23, 600].map((waited) => restOf(waited * minute) / minute)).toEqual([
    1, 2, 5, 15, 15, 15,
  ]);
});
