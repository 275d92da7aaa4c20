import { Counter, Gauge, type Registry } from "prom-client";

/** Counters for deliveries, messages and send attempts. All outcome names are our own. */
export interface ChannelMetrics {
  delivered(outcome: "accepted" | "forged" | "unreadable" | "full"): void;
  messages(outcome: string, count?: number): void;
  sendTried(outcome: string): void;
}

/** Creates the metrics of one channel; `open` returns the number of messages that wait or are being processed. */
export function createChannelMetrics(
  registry: Registry,
  channel: string,
  open: () => number,
): ChannelMetrics {
  const registers = [registry];
  const deliveries = new Counter({
    name: "platform_channel_deliveries_total",
    help: "Deliveries of messaging channels, by what became of them.",
    labelNames: ["channel", "outcome"],
    registers,
  });
  const messages = new Counter({
    name: "platform_channel_messages_total",
    help: "What deliveries held and what became of it.",
    labelNames: ["channel", "outcome"],
    registers,
  });
  const sends = new Counter({
    name: "platform_channel_sends_total",
    help: "Tries to send a message, by the kind of the provider's answer.",
    labelNames: ["channel", "outcome"],
    registers,
  });
  new Gauge({
    name: "platform_channel_messages_open",
    help: "Messages that wait for an answer or are being answered by this process.",
    labelNames: ["channel"],
    registers,
    collect() {
      this.set({ channel }, open());
    },
  });
  return {
    delivered: (outcome) => deliveries.inc({ channel, outcome }),
    messages: (outcome, count = 1) => messages.inc({ channel, outcome }, count),
    sendTried: (outcome) => sends.inc({ channel, outcome }),
  };
}
