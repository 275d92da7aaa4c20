import { and, asc, eq, gt, isNotNull, lte, notInArray, or, type SQL, sql } from "drizzle-orm";
import { jsonRows } from "../../storage/json-rows.ts";
import { boundValue, claimable, leaseEnd, statement } from "../../storage/statement.ts";
import type { Query, ReadQuery } from "../../storage/storage.ts";
import { replyHoldMs, step } from "./outbox-step.ts";
import type { OutboxAccountRow, OutboxRow, OutboxStorage, OutboxTables } from "./schema.ts";
import { type SettlePorts, settleMessages, stateOf } from "./settle-messages.ts";

/** A message that this process may send, with its account. */
export interface ClaimedMessage {
  row: OutboxRow;
  account: OutboxAccountRow;
}

export interface Claim {
  owner: string;
  attemptId: string;
  now: Date;
  limit: number;
  leaseMs: number;
  /** Tenants whose owners have as many messages in work here as they may have. */
  busy: readonly string[];
}

/**
 * Claims the first due messages for one call each. A message is due if its time has come, its account works, no earlier message to the same
 * recipient is open, and no receipt that may settle it waits in the inbox. Messages of `busy` tenants wait, so that an owner whose callbacks
 * hang doesn't hold up the others. An earlier message that fails again and again holds up replies for 15 minutes only.
 * Messages whose account was deleted become `failed`.
 */
export async function claimMessages(ports: SettlePorts, claim: Claim): Promise<ClaimedMessage[]> {
  const { storage } = ports;
  const { owner, attemptId, now, limit, leaseMs, busy } = claim;
  const values = {
    busy: JSON.stringify(busy),
    owner,
    attemptId,
    now,
    limit,
    leaseMs,
    held: new Date(now.getTime() - replyHoldMs),
    leaseUntil: new Date(now.getTime() + leaseMs),
  };
  const rows = await storage.transact((tx) => claimDue(tx, storage.tables).execute(values), {
    isolation: "read committed",
  });
  return withAccounts(ports, rows.sort(byId), now);
}

const claimDue = statement((tx: Query, tables: OutboxTables) => {
  const { outbox } = tables;
  const busy = jsonRows(outbox, "busy");
  const select = tx
    .select({ id: outbox.id })
    .from(outbox)
    .where(and(sql`${outbox.tenantId} not in (select ${busy.self} from ${busy.from})`, isDue(tables)))
    .orderBy(asc(outbox.dueAt), asc(outbox.id))
    .limit(sql.placeholder("limit"));
  const due = tx.$with("due").as(claimable(outbox, select));
  return tx
    .with(due)
    .update(outbox)
    .set({
      status: "sending",
      isReady: false,
      isUnsettled: false,
      owner: sql`${sql.placeholder("owner")}`,
      attemptId: sql`${sql.placeholder("attemptId")}`,
      leaseUntil: leaseEnd(outbox.leaseUntil),
    })
    .where(sql`${outbox.id} in (select id from ${due})`)
    .returning()
    .prepare("claim_messages");
});

/** Returns since when the oldest message waits that could be sent now; undefined if there is none. */
export async function oldestDueMessage(storage: OutboxStorage, now: Date): Promise<Date | undefined> {
  const heldSince = new Date(now.getTime() - replyHoldMs);
  const [oldest] = await findOldestDue(storage.read, storage.tables).execute({ now, held: heldSince });
  return oldest?.dueAt;
}

const findOldestDue = statement((query: ReadQuery, tables: OutboxTables) => {
  const { outbox } = tables;
  return query
    .select({ dueAt: outbox.dueAt })
    .from(outbox)
    .where(isDue(tables))
    .orderBy(asc(outbox.dueAt), asc(outbox.id))
    .limit(1)
    .prepare("oldest_due_message");
});

/** Messages whose process is gone or stuck: the lease expired or, on SQLite, where there is one process only, it is another's. */
export async function expiredMessages(
  storage: OutboxStorage,
  owner: string,
  limit: number,
): Promise<OutboxRow[]> {
  const { outbox } = storage.tables;
  const isOver = lte(outbox.leaseUntil, storage.instant());
  const isForeign = sql`${outbox.owner} <> ${owner}`;
  return storage.read
    .select()
    .from(outbox)
    .where(
      and(sql`${outbox.status} = 'sending'`, storage.dialect === "sqlite" ? or(isOver, isForeign) : isOver),
    )
    .orderBy(asc(outbox.leaseUntil))
    .limit(limit);
}

/** Messages tried since `since` that wait for a receipt. */
export async function unsettledMessages(
  { read, tables: { outbox } }: OutboxStorage,
  since: Date,
): Promise<OutboxRow[]> {
  return read
    .select()
    .from(outbox)
    .where(
      and(
        sql`${outbox.lane} is not null and ${outbox.waitingSince} is not null`,
        gt(outbox.waitingSince, since),
        eq(outbox.status, "pending"),
        eq(outbox.isUnsettled, true),
      ),
    );
}

/** Open messages that are too old to be sent. */
export async function overdueMessages(
  { read, tables: { outbox } }: OutboxStorage,
  now: Date,
  limit: number,
): Promise<OutboxRow[]> {
  return read
    .select()
    .from(outbox)
    .where(and(sql`${outbox.lane} is not null`, lte(outbox.expiresAt, now), eq(outbox.status, "pending")))
    .limit(limit);
}

const isDue = (tables: OutboxTables): SQL | undefined => {
  const { outbox } = tables;
  return and(
    sql`${outbox.isReady}`,
    lte(outbox.dueAt, boundValue(outbox.dueAt, "now")),
    gt(outbox.expiresAt, boundValue(outbox.expiresAt, "now")),
    mayGo(tables),
  );
};

function mayGo(tables: OutboxTables): SQL | undefined {
  const { outbox, accounts } = tables;
  const rests = or(
    isNotNull(accounts.pausedReason),
    gt(accounts.quietUntil, boundValue(accounts.quietUntil, "now")),
  );
  const resting = sql`(select ${accounts.id} from ${accounts} where ${rests})`;
  const heldSince = boundValue(outbox.waitingSince, "held");
  // The alias is of the same table, so its columns are written out.
  const letsPass = sql`${outbox.source} = 'agent_reply' and head.status = 'pending' and head.waiting_since <= ${heldSince}`;
  const isBlocked = sql`exists (select 1 from ${outbox} as head where head.lane = ${outbox.lane} and head.id < ${outbox.id} and (${letsPass}) is not true)`;
  // A callback or the platform is not the provider, so an account that rests is forwarded all the same.
  const mayTry = or(
    sql`${outbox.source} in ('inbound_forward', 'desk_notice')`,
    notInArray(outbox.accountId, resting),
  );
  return and(mayTry, sql`not ${isBlocked}`, sql`(${outbox.unknowns} = 0 or not ${isReported(tables)})`);
}

/** True for a message if a receipt or echo that may settle it was delivered, and waits to be processed. */
function isReported({ outbox, inbound }: OutboxTables): SQL {
  const lane = sql`${outbox.accountId} || ':c:' || ${outbox.recipient}`;
  const token = sql`${inbound.event} ->> 'token'`;
  const isOfIt = or(
    // The token of a call begins with the message's id.
    and(sql`${inbound.kind} = 'status'`, sql`substr(${token}, 1, length(${outbox.id})) = ${outbox.id}`),
    and(sql`${inbound.kind} = 'echo'`, sql`${inbound.lane} = ${lane}`),
  );
  return sql`exists (select 1 from ${inbound} where ${inbound.accountId} = ${outbox.accountId} and ${inbound.state} in ('waiting', 'working') and ${isOfIt})`;
}

async function withAccounts(
  ports: SettlePorts,
  rows: readonly OutboxRow[],
  now: Date,
): Promise<ClaimedMessage[]> {
  if (rows.length === 0) return [];
  const { storage } = ports;
  const ids = [...new Set(rows.map(({ accountId }) => accountId))];
  const accountRows = await accountsOf(storage.read, storage.tables).execute({ ids: JSON.stringify(ids) });
  const byAccount = new Map(accountRows.map((account) => [account.id, account]));
  const orphans = rows.filter(({ accountId }) => !byAccount.has(accountId));
  const failed = orphans.map((row) => ({ row, transition: step(stateOf(row), { type: "orphaned" }, now) }));
  if (failed.length > 0) await settleMessages(ports, failed, now);
  return rows.flatMap((row) => {
    const account = byAccount.get(row.accountId);
    return account === undefined ? [] : [{ row, account }];
  });
}

const accountsOf = statement((query: ReadQuery, { accounts }: OutboxTables) => {
  const ids = jsonRows(accounts, "ids");
  return query
    .select()
    .from(accounts)
    .where(sql`${accounts.id} in (select ${ids.self} from ${ids.from})`)
    .prepare("accounts_of_messages");
});

const byId = (a: OutboxRow, b: OutboxRow) => (a.id < b.id ? -1 : 1);
