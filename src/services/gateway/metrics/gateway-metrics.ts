import type { SendResult } from "../../../channels/outbox/message-sender.ts";
import type { OutboxDepth } from "../../../channels/outbox/outbox-depth.ts";
import { MetricRegistry, metricsIn } from "../../../kit/metrics.ts";
import type { WorkerState } from "../../../kit/worker.ts";

/** Metrics of the gateway. No label contains a tenant, account or recipient. */
export interface GatewayMetrics {
  readonly registry: MetricRegistry;
  /** Records one try to send. */
  sendTried(channel: string, result: SendResult): void;
  /** Counts an attempt of a transaction that the database refused because of others. */
  conflicted(): void;
  /** Counts a voice message that was transcribed, or not, and its length. */
  transcribed(outcome: "done" | "failed", audioMs: number): void;
  /** Records how the outbox is, for the next scrape. */
  outboxSeen(depth: OutboxDepth): void;
}

export function createGatewayMetrics(workers: () => readonly WorkerState[]): GatewayMetrics {
  const registry = new MetricRegistry();
  const { counter, gauge } = metricsIn(registry);
  const sends = counter("gateway_sends_total", "Tries to send a message, by channel and outcome.", [
    "channel",
    "outcome",
  ]);
  const depth = gauge("gateway_outbox_messages", "Open messages of the outbox, by status.", ["status"]);
  const oldest = gauge(
    "gateway_outbox_oldest_seconds",
    "Age of the oldest open message, 0 if there is none.",
  );
  const conflicts = counter(
    "gateway_transaction_conflicts_total",
    "Attempts of transactions that PostgreSQL refused because of others; each ran again.",
  );
  const transcriptions = counter(
    "gateway_transcriptions_total",
    "Voice messages for which a transcript was asked for, by outcome.",
    ["outcome"],
  );
  const transcribedSeconds = counter(
    "gateway_transcribed_seconds_total",
    "Length of the transcribed voice messages, as far as the model tells it.",
  );
  const paused = gauge("gateway_accounts_paused", "Accounts that their provider paused.");
  gauge(
    "gateway_worker_running",
    "1 while a background worker of this process runs, otherwise 0.",
    ["worker"],
    (gauge) => {
      for (const { name, status } of workers()) gauge.set({ worker: name }, status === "running" ? 1 : 0);
    },
  );
  return {
    registry,
    sendTried: (channel, { action }) => sends.inc({ channel, outcome: action }),
    conflicted: () => conflicts.inc({}),
    transcribed(outcome, audioMs) {
      transcriptions.inc({ outcome });
      transcribedSeconds.inc({}, audioMs / 1000);
    },
    outboxSeen({ pending, sending, oldestMs, pausedAccounts }) {
      paused.set(pausedAccounts);
      depth.set({ status: "pending" }, pending);
      depth.set({ status: "sending" }, sending);
      oldest.set(oldestMs / 1000);
    },
  };
}
