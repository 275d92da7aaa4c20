import { Counter, Gauge, type Registry } from "prom-client";

/** What became of a delivery, a message or a try to send; every name is one of ours. */
export interface ChannelMetrics {
  delivered(outcome: "accepted" | "forged" | "unreadable" | "full"): void;
  messages(outcome: string, count?: number): void;
  sendTried(outcome: string): void;
}

/** Counters of one channel; `open` is how many of its messages wait or are in work. */
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
