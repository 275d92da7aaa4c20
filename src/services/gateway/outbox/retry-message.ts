import type { OutboxBell } from "../../../channels/outbox/outbox-bell.ts";
import { step } from "../../../channels/outbox/outbox-step.ts";
import {
  findMessage,
  type SettlePorts,
  settleMessages,
  stateOf,
} from "../../../channels/outbox/settle-messages.ts";
import type { OutboxEntry } from "../../../contracts/gateway/admin.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { EventFeed } from "../events/event-feed.ts";
import type { GatewayStorage, StoreDeps } from "../tables.ts";
import { presentEntry } from "./list-outbox.ts";
import { outboundChange } from "./outbound-change.ts";

export interface RetryPorts extends StoreDeps, SettlePorts {
  storage: GatewayStorage;
  bell: OutboxBell;
  feed: EventFeed;
}

/** Queues a failed message again, for operators. Throws 404, or 409 for a message that has not failed. */
export async function retryMessage(ports: RetryPorts, id: string): Promise<OutboxEntry> {
  const { storage, bell, clock, feed } = ports;
  const row = await findMessage(storage, id);
  if (row === undefined) throw new AppError("not_found", "not_found", `There is no message ${id}.`);
  const now = clock.now();
  const before = stateOf(row);
  const transition = step(before, { type: "retried" }, now);
  const settled = transition.state === before ? [] : await settleMessages(ports, [{ row, transition }], now);
  if (settled.length === 0) {
    throw new AppError(
      "conflict",
      "not_failed",
      `Message ${id} is ${row.status}; only a failed one is retried.`,
    );
  }
  bell.ring();
  feed.publish(outboundChange(row, "pending"));
  return presentEntry({ ...row, ...transition.state, deliveryStatus: null });
}
