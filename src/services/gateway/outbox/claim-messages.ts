import { and, asc, eq, gt, inArray, isNotNull, lte, notInArray, or, type SQL, sql } from "drizzle-orm";
import { claimable } from "../../../storage/statement.ts";
import type { GatewayStorage, GatewayTables } from "../tables.ts";
import { replyHoldMs } from "./outbox-step.ts";

export type OutboxRow = GatewayTables["outbox"]["$inferSelect"];
export type AccountRow = GatewayTables["accounts"]["$inferSelect"];

/** A message that this process may send, with its account. */
export interface ClaimedMessage {
  row: OutboxRow;
  account: AccountRow;
}

export interface Claim {
  owner: string;
  attemptId: string;
  now: Date;
  limit: number;
  leaseMs: number;
}

/**
 * Claims the first due messages for one try. A message is due if its time has come, its account works, and no earlier message to the same
 * recipient is open. An earlier one that fails again and again holds up replies for 15 minutes only.
 */
export async function claimMessages(storage: GatewayStorage, claim: Claim): Promise<ClaimedMessage[]> {
  const { outbox } = storage.tables;
  const { owner, attemptId, now, limit, leaseMs } = claim;
  const rows = await storage.transact(
    async (tx) => {
      const select = tx
        .select({ id: outbox.id })
        .from(outbox)
        .where(
          and(
            eq(outbox.status, "pending"),
            lte(outbox.dueAt, now),
            gt(outbox.expiresAt, now),
            mayGo(storage.tables, now),
          ),
        )
        .orderBy(asc(outbox.dueAt), asc(outbox.id))
        .limit(limit);
      const due = tx.$with("due").as(claimable(storage, select));
      return tx
        .with(due)
        .update(outbox)
        .set({
          status: "sending",
          isUnsettled: false,
          owner,
          attemptId,
          leaseUntil: storage.instant(leaseMs),
        })
        .where(sql`${outbox.id} in (select id from ${due})`)
        .returning();
    },
    { isolation: "read committed" },
  );
  return withAccounts(storage, rows.sort(byId));
}

/** Messages whose lease expired: the process that was sending them is gone or stuck. */
export async function expiredMessages(storage: GatewayStorage, limit: number): Promise<OutboxRow[]> {
  const { outbox } = storage.tables;
  return storage.read
    .select()
    .from(outbox)
    .where(and(eq(outbox.status, "sending"), lte(outbox.leaseUntil, storage.instant())))
    .orderBy(asc(outbox.id))
    .limit(limit);
}

/** Open messages that nothing will send: too old, or without an account. */
export async function deadMessages(
  { read, tables: { outbox, accounts } }: GatewayStorage,
  now: Date,
  limit: number,
): Promise<{ row: OutboxRow; hasAccount: boolean }[]> {
  const rows = await read
    .select({ row: outbox, accountId: accounts.id })
    .from(outbox)
    .leftJoin(accounts, eq(accounts.id, outbox.accountId))
    .where(and(eq(outbox.status, "pending"), or(lte(outbox.expiresAt, now), sql`${accounts.id} is null`)))
    .limit(limit);
  return rows.map(({ row, accountId }) => ({ row, hasAccount: accountId !== null }));
}

function mayGo({ outbox, accounts }: GatewayTables, now: Date): SQL | undefined {
  const held = new Date(now.getTime() - replyHoldMs);
  const rests = or(isNotNull(accounts.pausedReason), gt(accounts.quietUntil, now));
  const resting = sql`(select ${accounts.id} from ${accounts} where ${rests})`;
  // The alias is of the same table, so its columns are written out.
  const letsPass = sql`${outbox.source} = 'agent_reply' and head.status = 'pending' and head.waiting_since <= ${sql.param(held, outbox.waitingSince)}`;
  const isBlocked = sql`exists (select 1 from ${outbox} as head where head.lane = ${outbox.lane} and head.id < ${outbox.id} and (${letsPass}) is not true)`;
  // A callback is not the provider, so an account that rests is forwarded all the same.
  const mayTry = or(eq(outbox.source, "inbound_forward"), notInArray(outbox.accountId, resting));
  return and(mayTry, sql`not ${isBlocked}`);
}

async function withAccounts(
  { read, tables: { accounts } }: GatewayStorage,
  rows: readonly OutboxRow[],
): Promise<ClaimedMessage[]> {
  if (rows.length === 0) return [];
  const ids = [...new Set(rows.map(({ accountId }) => accountId))];
  const found = await read.select().from(accounts).where(inArray(accounts.id, ids));
  const byAccount = new Map(found.map((account) => [account.id, account]));
  return rows.flatMap((row) => {
    const account = byAccount.get(row.accountId);
    // Without its account, the message stays leased and is then failed as dead.
    return account === undefined ? [] : [{ row, account }];
  });
}

const byId = (a: OutboxRow, b: OutboxRow) => (a.id < b.id ? -1 : 1);
