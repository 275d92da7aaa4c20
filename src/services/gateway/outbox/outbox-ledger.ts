import type { OutboxRow } from "../../../channels/outbox/schema.ts";
import type { OutboxLedger, Settlement } from "../../../channels/outbox/settle-messages.ts";
import { trailEventNames } from "../../../contracts/gateway/trail.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Query } from "../../../storage/storage.ts";
import type { GatewayTables } from "../tables.ts";
import { appendTrail, type TrailEntry } from "../trail/append-trail.ts";

/** Keeps the outbox's changes in the trails of messages. `follow` lets conversations go with their users. */
export const createOutboxLedger = (
  tables: GatewayTables,
  newId: NewId,
  follow: Pick<OutboxLedger, "moved" | "named">,
): OutboxLedger => ({
  ...follow,
  async settled(tx, settlements, now) {
    const attempts = settlements.flatMap((one) => attemptOf(one, now));
    const failed = settlements.flatMap(({ row, transition: { state }, attempt }): FailedMessage[] => {
      if (state.status !== "failed") return [];
      return [{ ...row, lastError: state.lastError === attempt?.error ? null : state.lastError }];
    });
    await appendTrail(tx, tables, newId, attempts);
    await noteFailed(tx, tables, newId, failed, now);
  },
  async reported(tx, row, { status, wasStatus, channelMessageId, error }, at) {
    const event = trailEventNames.find((name) => name === status);
    // The row itself tells when it was sent, and what made the message failed is noted already.
    if (event === undefined || event === "sent" || event === wasStatus) return;
    const details = error === undefined ? {} : { details: { error } };
    await appendTrail(tx, tables, newId, [{ ...entryOf(row, at), event, channelMessageId, ...details }]);
  },
});

type Named = Pick<OutboxRow, "id" | "tenantId" | "accountId" | "channel">;
type FailedMessage = Named & Pick<OutboxRow, "lastError">;

const entryOf = ({ id, tenantId, accountId, channel }: Named, at: Date) => ({
  messageId: id,
  tenantId,
  accountId,
  channel,
  direction: "outbound" as const,
  at,
});

function attemptOf({ row, attempt, channelMessageId }: Settlement, at: Date): TrailEntry[] {
  if (attempt === undefined) return [];
  const { outcome, call, error } = attempt;
  const details = { outcome, call, ...(error !== undefined && { error }) };
  return [{ ...entryOf(row, at), event: "attempt", channelMessageId, details }];
}

/** Appends `failed` to the trails of messages, within the transaction that makes them so. `lastError` is null if the trail has it already. */
export const noteFailed = (
  tx: Query,
  tables: GatewayTables,
  newId: NewId,
  failed: readonly FailedMessage[],
  at: Date,
): Promise<void> =>
  appendTrail(
    tx,
    tables,
    newId,
    failed.map((message) => ({
      ...entryOf(message, at),
      event: "failed",
      ...(message.lastError !== null && { details: { error: message.lastError } }),
    })),
  );
