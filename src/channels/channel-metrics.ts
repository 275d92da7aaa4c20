import { type MetricRegistry, metricsIn } from "../kit/metrics.ts";

/** Counters for deliveries, messages and send attempts. All outcome names are our own. */
export interface ChannelMetrics {
  delivered(outcome: "accepted" | "forged" | "unreadable" | "full"): void;
  messages(outcome: string, count?: number): void;
  sendTried(outcome: string): void;
}

/** Creates the metrics of one channel; `open` returns the number of messages that wait or are being processed. */
export function createChannelMetrics(
  registry: MetricRegistry,
  channel: string,
  open: () => number,
): ChannelMetrics {
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
  gauge(
    "platform_channel_messages_open",
    "Messages that wait for an answer or are being answered by this process.",
    ["channel"],
    (gauge) => {
      gauge.set({ channel }, open());
    },
  );
  return {
    delivered: (outcome) => deliveries.inc({ channel, outcome }),
    messages: (outcome, count = 1) => messages.inc({ channel, outcome }, count),
    sendTried: (outcome) => sends.inc({ channel, outcome }),
  };
}
