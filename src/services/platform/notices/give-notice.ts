import { eq, inArray, sql } from "drizzle-orm";
import { enqueueMessage } from "../../../channels/outbox/enqueue-message.ts";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { Notice, NoticeEvent } from "../../../contracts/platform/notices.ts";
import { newId } from "../../../kit/id.ts";
import { statement } from "../../../storage/statement.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";
import { type HookRow, installation } from "./schema.ts";

/** What a notice is about. */
export interface Occasion {
  tenantId: string;
  event: NoticeEvent;
  /** A notice is given once for it. */
  occasion: string;
  /** One sentence for a person. */
  text: string;
  data: Record<string, unknown>;
}

/** Events that concern the operator alone. */
const operatorsOnly: ReadonlySet<NoticeEvent> = new Set(["model.unpriced"]);

/** The outbox keeps the name of a channel; that of hooks is not one of the gateway's. */
export const hookChannel = "notice" as ChannelName;

/**
 * Queues a notice for each hook that wants it, in the transaction of what it is about. Does nothing if it was given before or no hook wants
 * it.
 */
export async function giveNotice(
  tx: Query,
  tables: PlatformTables,
  { tenantId, event, occasion, text, data }: Occasion,
  now: Date,
): Promise<void> {
  const hooks = await hooksFor(tx, tables, tenantId, event);
  if (hooks.length === 0) return;
  const { noticeMarks, tenants } = tables;
  const [mark] = await tx
    .insert(noticeMarks)
    .values({ tenantId, event, occasion, at: now })
    .onConflictDoNothing()
    .returning();
  if (mark === undefined) return;
  const [tenant] = await tx
    .select({ name: tenants.displayName })
    .from(tenants)
    .where(eq(tenants.id, tenantId));
  for (const hook of hooks) {
    const id = newId();
    const notice: Notice = {
      id,
      event,
      at: now.toISOString(),
      tenant_id: tenantId,
      tenant_name: tenant?.name ?? tenantId,
      text,
      data,
    };
    await enqueueMessage(
      tx,
      tables,
      {
        id,
        tenantId: hook.tenantId,
        channel: hookChannel,
        accountId: hook.id,
        // A lane of its own: a notice that fails holds up no other.
        recipient: id,
        conversationId: null,
        // Like a message for a callback: tried again after a crash, because a notice may come twice but must not be lost.
        source: "inbound_forward",
        payload: { text: JSON.stringify(notice) },
      },
      now,
    );
  }
}

/** Hooks of the tenant and of the installation that want an event. */
export async function hooksFor(
  query: ReadQuery,
  tables: PlatformTables,
  tenantId: string,
  event: NoticeEvent,
): Promise<HookRow[]> {
  const hooks = await hooksOf(query, tables).execute({ tenantId });
  return hooks.filter(
    (hook) => hook.events.includes(event) && !(operatorsOnly.has(event) && hook.tenantId !== installation),
  );
}

/** Returns true if any hook gets notices about the tenant, so that others cost one statement. */
export async function hasHooks(query: ReadQuery, tables: PlatformTables, tenantId: string): Promise<boolean> {
  return (await hooksOf(query, tables).execute({ tenantId })).length > 0;
}

const hooksOf = statement((query: ReadQuery, { accounts }: PlatformTables) =>
  query
    .select()
    .from(accounts)
    .where(inArray(accounts.tenantId, [sql.placeholder("tenantId"), installation]))
    .prepare("platform_notice_hooks"),
);
