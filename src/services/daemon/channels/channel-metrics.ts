import type { InboundMetrics } from "../../../channels/inbox/inbound-metrics.ts";
import type { SendResult } from "../../../channels/outbox/message-sender.ts";
import { type MetricRegistry, metricsIn } from "../../../kit/metrics.ts";

/** Counters for deliveries, messages and send attempts of one channel. All outcome names are our own. */
export interface ChannelMetrics extends InboundMetrics {
  messages(outcome: string, count?: number): void;
  sendTried(result: SendResult): void;
  /** Records how many messages are not finished. */
  openSeen(count: number): void;
}

/** Names of what came of an attempt; undefined if no call was made. */
const sendOutcomes: Record<SendResult["action"], string | undefined> = {
  sent: "sent",
  continue: "sent",
  retry: "retry",
  paced: undefined,
  final: "final",
  pause: "account",
  unknown: "ambiguous",
};

/** Creates the metrics of one channel. */
export function createChannelMetrics(registry: MetricRegistry, channel: string): ChannelMetrics {
  const { counter, gauge } = metricsIn(registry);
  const deliveries = counter(
    "platform_channel_deliveries_total",
    "Deliveries of messaging channels, by what became of them.",
    ["channel", "outcome"],
  );
  const messages = counter("platform_channel_messages_total", "What deliveries held and what became of it.", [
    "channel",
    "outcome",
  ]);
  const sends = counter(
    "platform_channel_sends_total",
    "Tries to send a message, by the kind of the provider's answer.",
    ["channel", "outcome"],
  );
  const open = gauge(
    "platform_channel_messages_open",
    "Messages that wait for an answer or its sending, as of the last seconds.",
    ["channel"],
  );
  const count = (outcome: string, times = 1) => {
    if (times > 0) messages.inc({ channel, outcome }, times);
  };
  return {
    delivered: (_, outcome) => deliveries.inc({ channel, outcome }),
    ignored: (_, reason, times) => count(reason, times),
    stored(_, added, repeated) {
      count("queued", added);
      count("repeated", repeated);
    },
    closed(_, outcome) {
      if (outcome === "parked") count("error");
    },
    seen() {},
    messages: count,
    sendTried(result) {
      const outcome = sendOutcomes[result.action];
      if (outcome !== undefined) sends.inc({ channel, outcome });
    },
    openSeen: (count) => open.set({ channel }, count),
  };
}
