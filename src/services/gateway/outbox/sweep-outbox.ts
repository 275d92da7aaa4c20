import type { Clock } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import type { GatewayStorage } from "../tables.ts";
import { deadMessages, expiredMessages } from "./claim-messages.ts";
import type { MessageSender } from "./message-sender.ts";
import { type OutboxInput, step } from "./outbox-step.ts";
import { settleMessages, stateOf } from "./settle-messages.ts";

export interface SweepPorts {
  storage: GatewayStorage;
  sender: Pick<MessageSender, "hasReceipts">;
  clock: Clock;
  log: Logger;
}

const together = 500;

/**
 * Gives back messages whose process died while it sent them, and fails those that are too old or have no account. Several processes may
 * sweep at once: each row changes once.
 */
export async function sweepOutbox({ storage, sender, clock, log }: SweepPorts): Promise<number> {
  let swept = 0;
  for (;;) {
    const now = clock.now();
    const interrupted = (await expiredMessages(storage, together)).map((row) => {
      // A callback may get a message twice, but no message may be lost: like one with receipts, it is tried again.
      const hasReceipts = row.source === "inbound_forward" || sender.hasReceipts(row.channel);
      const input: OutboxInput = { type: "lease_expired", hasReceipts };
      return { row, transition: step(stateOf(row), input, now) };
    });
    const dead = (await deadMessages(storage, now, together)).map(({ row, hasAccount }) => {
      const input: OutboxInput = { type: hasAccount ? "looked_at" : "account_deleted" };
      return { row, transition: step(stateOf(row), input, now) };
    });
    const settled = await settleMessages(storage, [...interrupted, ...dead], now);
    swept += settled.length;
    if (interrupted.length > 0) log.warn("outbox.interrupted", { messages: interrupted.length });
    if (dead.length > 0) log.warn("outbox.dead", { messages: dead.length });
    if (settled.length === 0 || (interrupted.length < together && dead.length < together)) return swept;
  }
}
