import { and, eq, isNotNull, type SQL } from "drizzle-orm";
import type { OutboxRow } from "../../../channels/outbox/schema.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Query } from "../../../storage/storage.ts";
import type { GatewayTables } from "../tables.ts";
import { noteFailed } from "./outbox-ledger.ts";

type FailedMessage = Pick<
  OutboxRow,
  "id" | "tenantId" | "accountId" | "channel" | "conversationId" | "lastError"
>;

/** Messages of an account that become `failed` together. */
export interface Failing {
  tenantId: string;
  accountId: string;
  /** Which of them; all, if undefined. */
  which?: SQL | undefined;
  error: "account_deleted" | "taken_over";
}

/**
 * Makes waiting messages of an account `failed`, with its event in the trail. One that is being sent is left to its worker. Returns them:
 * promote their lanes if other messages may wait behind them.
 */
export async function failWaiting(
  tx: Query,
  tables: GatewayTables,
  newId: NewId,
  { tenantId, accountId, which, error }: Failing,
  now: Date,
): Promise<FailedMessage[]> {
  const { outbox } = tables;
  const failed = await tx
    .update(outbox)
    .set({ status: "failed", lastError: error, lane: null, isReady: false, isUnsettled: false })
    .where(
      and(
        eq(outbox.tenantId, tenantId),
        eq(outbox.accountId, accountId),
        isNotNull(outbox.lane),
        eq(outbox.status, "pending"),
        which,
      ),
    )
    .returning({
      id: outbox.id,
      tenantId: outbox.tenantId,
      accountId: outbox.accountId,
      channel: outbox.channel,
      conversationId: outbox.conversationId,
      lastError: outbox.lastError,
    });
  await noteFailed(tx, tables, newId, failed, now);
  return failed;
}
