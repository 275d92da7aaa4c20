import type { OutboxBell } from "../../../channels/outbox/outbox-bell.ts";
import { step } from "../../../channels/outbox/outbox-step.ts";
import type { OutboxRow } from "../../../channels/outbox/schema.ts";
import {
  findMessage,
  type SettlePorts,
  settleMessages,
  stateOf,
} from "../../../channels/outbox/settle-messages.ts";
import type { OutboxEntry } from "../../../contracts/gateway/admin.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { DeskActor } from "../auth/desk-credential.ts";
import { presentEntry } from "../outbox/list-outbox.ts";
import { outboundChange } from "../outbox/outbound-change.ts";
import type { GatewayStorage } from "../tables.ts";
import { isUndelivered, type ResendPorts, resendMessage } from "./resend-message.ts";

export interface RetryPorts extends ResendPorts, SettlePorts {
  storage: GatewayStorage;
  bell: OutboxBell;
}

/**
 * Sends a failed message again, for the desk: under its own id if the provider never accepted it, under a new one if it refused it later.
 * Throws 404, 409 for a message that has not failed, and what `sendMessage` throws when there is no room.
 */
export async function retryMessage(
  ports: RetryPorts,
  { tenantId }: Pick<DeskActor, "tenantId">,
  id: string,
): Promise<OutboxEntry> {
  const { storage, bell } = ports;
  const row = await findMessage(storage, id);
  if (row === undefined || (tenantId !== undefined && row.tenantId !== tenantId))
    throw new AppError("not_found", "not_found", `There is no message ${id}.`);
  const queued = isUndelivered(row) ? await resendMessage(ports, row) : await queueAgain(ports, row);
  if (queued === undefined) {
    const state = row.deliveryStatus ?? row.status;
    throw new AppError(
      "conflict",
      "not_failed",
      `Message ${id} is ${state}; only a failed or undelivered one is sent again, and only once.`,
    );
  }
  bell.ring();
  const entry = await findMessage(storage, queued);
  return presentEntry(entry ?? row);
}

/** Returns the message's id; undefined if it has not failed. */
async function queueAgain(ports: RetryPorts, row: OutboxRow): Promise<string | undefined> {
  const before = stateOf(row);
  const now = ports.clock.now();
  const transition = step(before, { type: "retried" }, now);
  if (transition.state === before) return undefined;
  const [settled] = await settleMessages(ports, [{ row, transition }], now);
  if (settled !== undefined) ports.feed.publish(outboundChange(row, "pending"));
  return settled;
}
