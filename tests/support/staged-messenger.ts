import { newId } from "../../src/kit/id.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { MetricRegistry } from "../../src/kit/metrics.ts";
import { WorkerGroup } from "../../src/kit/worker.ts";
import { createChannelMetrics } from "../../src/services/daemon/channels/channel-metrics.ts";
import {
  createPhoneMessenger,
  type PhoneMessengerPorts,
} from "../../src/services/daemon/channels/phone-messenger.ts";
import { nothingAwaited } from "../../src/services/daemon/paused-runs/awaited-answers.ts";
import type { DaemonTables } from "../../src/services/daemon/tables.ts";
import type { Storage } from "../../src/storage/storage.ts";
import type { FakeClock } from "./fake-clock.ts";
import { deliveryOf, phoneNumberId } from "./message-provider.ts";

/** A process that has the daemon's channel, over a provider that accepts everything. */
export function stageMessenger(
  storage: Storage<DaemonTables>,
  clock: FakeClock,
  ports: Partial<PhoneMessengerPorts> = {},
) {
  const asked: string[] = [];
  const sent: { to: string; text: string }[] = [];
  const stopping = new AbortController();
  const random = () => 0.5;
  const messenger = createPhoneMessenger({
    settings: {
      apiBaseUrl: "https://provider.example/v1",
      phoneNumberId,
      accessToken: "t",
      verifyToken: "v",
      appSecret: undefined,
      allowsUnsigned: true,
      defaultAgent: "helper",
      rateLimit: { messagesMax: 2, windowMs: 60_000 },
    },
    storage,
    tenant: "operator",
    owner: newId(),
    answer: async ({ text }) => {
      asked.push(text);
      return { text: `Re: ${text}`, traceId: newId() };
    },
    answerQuestion: async () => undefined,
    traces: { judgeByUsers: async () => undefined, unjudge: async () => undefined } as never,
    awaited: nothingAwaited,
    arrived: async () => undefined,
    fetch: async (_, init) => {
      const { to, text } = JSON.parse(String(init?.body));
      sent.push({ to, text: text.body });
      return Response.json({ messages: [{ id: `wamid.${newId()}` }] });
    },
    network: { request: () => Promise.reject(new Error("no files")) },
    metrics: createChannelMetrics(new MetricRegistry(), "phone_messenger"),
    clock,
    newId,
    random,
    log: silentLogger,
    stopping: stopping.signal,
    ...ports,
  });
  const workers = new WorkerGroup(messenger.workers, { clock, random, log: silentLogger });
  workers.start();
  const deliver = (messages: object[]) =>
    messenger.deliver(Buffer.from(deliveryOf(messages)), { signature: null, isFromOutside: false });
  return {
    messenger,
    workers,
    asked,
    sent,
    deliver,
    async [Symbol.asyncDispose]() {
      await messenger.retire();
      stopping.abort();
      await workers.stop(60_000);
    },
  };
}
