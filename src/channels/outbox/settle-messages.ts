import { and, eq, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { isPostgres, jsonPairs, jsonRows } from "../../storage/json-rows.ts";
import { equalsBound, statement } from "../../storage/statement.ts";
import type { Query } from "../../storage/storage.ts";
import type { OutboxEffect, OutboxState, OutboxTransition } from "./outbox-step.ts";
import type { OutboxRow, OutboxStorage, OutboxTables } from "./schema.ts";

/** What a service keeps of the outbox's changes, within the transactions that store them. */
export interface OutboxLedger {
  /** Notes transitions that are stored. */
  settled(tx: Query, settlements: readonly Settlement[], now: Date): Promise<void>;
  /** Notes a report of the provider that raised a message's delivery status. */
  reported(tx: Query, row: OutboxRow, report: Report, now: Date): Promise<void>;
  /** Lets further messages to a user go to their new address. Runs before the waiting messages move. */
  moved(tx: Query, move: Move): Promise<void>;
  /** Notes the provider's own name for the address that a message was sent to. */
  named?(tx: Query, row: OutboxRow, name: string): Promise<void>;
}

/** Report of a provider about a message that it has accepted. `wasStatus` is the message's status. */
export interface Report {
  status: string;
  wasStatus: OutboxRow["status"];
  channelMessageId?: string | undefined;
  error?: string | undefined;
}

/** New address of a user or group. */
export interface Move {
  tenantId: string;
  accountId: string;
  from: string;
  to: string;
  /** The provider's time. */
  at?: Date | undefined;
}

/** Call to the provider, by its number in the message, and what came of it. */
export interface SendAttempt {
  call: number;
  outcome: string;
  error?: string | null | undefined;
}

export interface SettlePorts {
  storage: OutboxStorage;
  ledger: OutboxLedger;
}

/** A transition of one row. */
export interface Settlement {
  row: OutboxRow;
  transition: OutboxTransition;
  /** The provider's id, if it accepted a call. */
  channelMessageId?: string | undefined;
  partsDone?: number | undefined;
  /** New address of the recipient. */
  movedTo?: string | undefined;
  /** The provider's own name for the recipient's address. */
  namedAs?: string | undefined;
  /** Undefined if no call was made. */
  attempt?: SendAttempt | undefined;
}

/** The state that a row's transitions begin with. */
export const stateOf = ({
  status,
  attempts,
  unknowns,
  isUnsettled,
  lastError,
  dueAt,
  waitingSince,
  expiresAt,
}: OutboxRow): OutboxState => ({
  status,
  attempts,
  unknowns,
  isUnsettled,
  lastError,
  dueAt,
  waitingSince,
  expiresAt,
});

/**
 * Stores transitions in one transaction. A row that is no longer in the state and try that its transition began with stays as it is: its
 * process was too late. Returns the ids of the stored ones.
 */
export function settleMessages(
  { storage, ledger }: SettlePorts,
  settlements: readonly Settlement[],
  now: Date,
): Promise<string[]> {
  const store = async (tx: Query) => {
    if (settlements.length === 0) return [];
    // The recipient is read again: what moves a user to another address also moves what is being sent.
    const settled = new Map<string, Recipient>();
    const [accepted = [], others = []] = partition(settlements, isAccepted);
    if (accepted.length > 0) {
      for (const some of Map.groupBy(accepted, acceptedTogether).values()) {
        for (const one of await settleSent(tx, storage.tables).execute(acceptanceOf(some, now)))
          settled.set(one.id, one);
      }
    }
    if (others.length > 0) {
      const given = JSON.stringify(others.map((one) => changeOf(one, now)));
      for (const one of await settleMany(tx, storage.tables).execute({ given })) settled.set(one.id, one);
    }
    const stored = settlements.filter(({ row }) => settled.has(row.id));
    const closed = stored.filter(({ transition }) => isClosed(transition.state));
    await promoteLanes(
      tx,
      storage.tables,
      closed.map(({ row: { id, accountId, recipient, source } }) =>
        laneOf({ accountId, recipient: settled.get(id)?.recipient ?? recipient, source }),
      ),
    );
    for (const { row, transition, movedTo, namedAs } of stored) {
      if (namedAs !== undefined && namedAs !== row.recipient) await ledger.named?.(tx, row, namedAs);
      if (movedTo !== undefined) await moveMessage(tx, { storage, ledger }, row, movedTo);
      for (const effect of transition.effects) await applyEffect(tx, storage.tables, row, effect);
    }
    await ledger.settled(tx, stored, now);
    return [...settled.keys()];
  };
  // Each statement names all that it relies on.
  return storage.transact(store, { isolation: "read committed" });
}

type Recipient = Pick<OutboxRow, "recipient">;

/** Nearly every message is accepted at its first try: these have a statement of their own, which takes a third of the time. */
const isAccepted = ({ row, transition: { state } }: Settlement) =>
  row.status === "sending" && state.status === "sent";

const partition = <T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] => [
  all.filter(isFirst),
  all.filter((one) => !isFirst(one)),
];

/** Messages that were claimed together are equal in all but their ids. */
const acceptedTogether = ({ row, partsDone }: Settlement): string =>
  JSON.stringify([row.tenantId, row.attemptId, row.owner, partsDone ?? row.partsDone]);

/** The statement's parameters for messages of one claim, tenant and number of calls. */
function acceptanceOf(some: readonly Settlement[], now: Date): Record<string, unknown> {
  const [first] = some;
  return {
    now,
    tenant: first?.row.tenantId,
    attempt: first?.row.attemptId,
    owner: first?.row.owner,
    parts: first?.partsDone ?? first?.row.partsDone,
    given: JSON.stringify(
      Object.fromEntries(
        some.map(({ row, channelMessageId }) => [row.id, channelMessageId ?? row.channelMessageId]),
      ),
    ),
  };
}

const isClosed = ({ status }: OutboxState) => status === "sent" || status === "failed";

/** One row of the statement's JSON: the state that it must be in, and the new values. */
function changeOf(
  { row, transition: { state }, channelMessageId, partsDone }: Settlement,
  now: Date,
): object {
  return {
    id: row.id,
    tenant: row.tenantId,
    was: row.status,
    attempt: row.attemptId,
    owner: row.owner,
    status: state.status,
    attempts: state.attempts,
    unknowns: state.unknowns,
    unsettled: state.isUnsettled,
    error: state.lastError,
    due: state.dueAt.getTime(),
    waiting: state.waitingSince?.getTime() ?? null,
    expires: state.expiresAt.getTime(),
    open: !isClosed(state),
    afresh: row.status === "failed" && state.status === "pending",
    ready: state.status === "pending",
    sent: row.sentAt?.getTime() ?? (state.status === "sent" ? now.getTime() : null),
    provider_id: channelMessageId ?? row.channelMessageId,
    parts: partsDone ?? row.partsDone,
  };
}

const settleSent = statement((tx: Query, { outbox }: OutboxTables) => {
  const given = jsonPairs(outbox, "given");
  return tx
    .update(outbox)
    .set({
      status: sql`'sent'`,
      isUnsettled: false,
      lastError: null,
      lane: null,
      isReady: false,
      owner: null,
      attemptId: null,
      leaseUntil: null,
      sentAt: sql`${sql.param(sql.placeholder("now"), outbox.sentAt)}`,
      channelMessageId: given.value,
      partsDone: sql`${sql.param(sql.placeholder("parts"), outbox.partsDone)}`,
    })
    .from(given.from)
    .where(
      and(
        sql`${outbox.id} = ${given.key}`,
        // Not by the index of tenants, which SQLite would walk for each message.
        sql`coalesce(${outbox.tenantId}, '') in (${sql.placeholder("tenant")})`,
        sql`${outbox.status} = 'sending'`,
        equalsBound(outbox.attemptId, "attempt"),
        equalsBound(outbox.owner, "owner"),
      ),
    )
    .returning({ id: outbox.id, recipient: outbox.recipient })
    .prepare("settle_sent");
});

const settleMany = statement((tx: Query, { outbox }: OutboxTables) => {
  const given = jsonRows(outbox, "given");
  const same = (column: typeof outbox.owner | typeof outbox.attemptId, value: SQL) =>
    isPostgres(outbox) ? sql`${column} is not distinct from ${value}` : sql`${column} is ${value}`;
  return tx
    .update(outbox)
    .set({
      status: given.text("status") as SQL<OutboxState["status"]>,
      attempts: given.integer("attempts"),
      unknowns: given.integer("unknowns"),
      isUnsettled: given.flag("unsettled"),
      lastError: given.text("error"),
      dueAt: given.instant("due"),
      waitingSince: given.instant("waiting"),
      expiresAt: given.instant("expires"),
      lane: sql`case when ${given.flag("open")} then ${presentLane(outbox)} end`,
      isReady: given.flag("ready"),
      owner: null,
      attemptId: null,
      leaseUntil: null,
      sentAt: given.instant("sent"),
      channelMessageId: given.text("provider_id"),
      partsDone: given.integer("parts"),
      // A retried message starts again: reports about its earlier tries no longer apply.
      deliveryStatus: sql`case when not ${given.flag("afresh")} then ${outbox.deliveryStatus} end`,
    })
    .from(given.from)
    .where(
      and(
        sql`${outbox.id} = ${given.text("id")}`,
        sql`${outbox.tenantId} = ${given.text("tenant")}`,
        sql`${outbox.status} = ${given.text("was")}`,
        same(outbox.attemptId, given.text("attempt")),
        same(outbox.owner, given.text("owner")),
      ),
    )
    .returning({ id: outbox.id, recipient: outbox.recipient })
    .prepare("settle_messages");
});

/** Marks the first message of each lane as ready. The claim itself checks the order. */
export async function promoteLanes(tx: Query, tables: OutboxTables, lanes: readonly string[]): Promise<void> {
  if (lanes.length > 0) await promote(tx, tables).execute({ lanes: JSON.stringify([...new Set(lanes)]) });
}

const promote = statement((tx: Query, { outbox }: OutboxTables) => {
  const lanes = jsonRows(outbox, "lanes");
  const first = sql`(select min(next.id) from ${outbox} as next where next.lane = ${lanes.self})`;
  return tx
    .update(outbox)
    .set({ isReady: true })
    .where(
      and(
        sql`${outbox.id} in (select ${first} from ${lanes.from})`,
        sql`${outbox.status} = 'pending'`,
        sql`not ${outbox.isReady}`,
      ),
    )
    .returning({ id: outbox.id })
    .prepare("promote_messages");
});

/** Records the recipient's new address, which the provider told as its answer to a call of this message. */
async function moveMessage(tx: Query, ports: SettlePorts, row: OutboxRow, to: string): Promise<void> {
  const { outbox } = ports.storage.tables;
  await tx
    .update(outbox)
    .set({ recipient: to })
    .where(and(eq(outbox.tenantId, row.tenantId), eq(outbox.id, row.id)))
    .returning({ id: outbox.id });
  await moveRecipient(tx, ports, { ...row, from: row.recipient, to });
}

/**
 * Sends what waits for a user or group to its new address, in the same order. What is being sent now goes there if it is tried again.
 * Forwarded messages don't move, because they go to a callback.
 */
export async function moveRecipient(
  tx: Query,
  { storage: { tables }, ledger }: SettlePorts,
  { tenantId, accountId, from, to, at }: Move,
): Promise<void> {
  if (from === to) return;
  await ledger.moved(tx, { tenantId, accountId, from, to, at });
  const { outbox } = tables;
  const laneTo = (recipient: string) => laneOf({ accountId, recipient, source: "api" });
  const moved = await tx
    .update(outbox)
    .set({ recipient: to, lane: laneTo(to) })
    .where(and(eq(outbox.tenantId, tenantId), eq(outbox.lane, laneTo(from))))
    .returning({ id: outbox.id });
  if (moved.length > 0) await promoteLanes(tx, tables, [laneTo(to)]);
}

async function applyEffect(
  tx: Query,
  { accounts }: OutboxTables,
  { tenantId, accountId }: OutboxRow,
  effect: OutboxEffect,
): Promise<void> {
  const isAccount = and(eq(accounts.tenantId, tenantId), eq(accounts.id, accountId));
  if (effect.type === "pause_account") {
    await tx
      .update(accounts)
      .set({ pausedReason: effect.reason })
      .where(and(isAccount, isNull(accounts.pausedReason)));
  } else if (effect.type === "quiet_account") {
    await tx
      .update(accounts)
      .set({ quietUntil: effect.until })
      .where(and(isAccount, or(isNull(accounts.quietUntil), lt(accounts.quietUntil, effect.until))));
  }
}

/** True for what goes to a tenant's callback or webhooks, not to the user. It may come twice, but must not be lost. */
export const isForwarded = (source: OutboxRow["source"]): boolean =>
  source === "inbound_forward" || source === "desk_notice";

/** Messages of one lane are sent in order. What is forwarded holds up nothing that is sent to the user. */
export const laneOf = ({
  accountId,
  recipient,
  source,
}: Pick<OutboxRow, "accountId" | "recipient" | "source">): string =>
  isForwarded(source) ? `forward:${accountId}:${recipient}` : `${accountId}:${recipient}`;

/** The same in SQL, of a row of the table. */
const presentLane = ({ accountId, recipient, source }: OutboxTables["outbox"]): SQL<string> =>
  sql`case when ${source} in ('inbound_forward', 'desk_notice') then 'forward:' else '' end || ${accountId} || ':' || ${recipient}`;

/** Reads one row. */
export async function findMessage(
  { read, tables: { outbox } }: OutboxStorage,
  id: string,
): Promise<OutboxRow | undefined> {
  const [row] = await read.select().from(outbox).where(eq(outbox.id, id));
  return row;
}
