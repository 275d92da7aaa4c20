import { and, eq, lt, ne, type SQL, sql } from "drizzle-orm";
import { statement } from "../../../storage/statement.ts";
import type { Query, Storage } from "../../../storage/storage.ts";
import type { CostTables } from "./schema.ts";

/** Tenant and agent that a budget belongs to. */
export interface BudgetKey {
  tenant: string;
  agent: string;
}

export interface StoredBudget extends BudgetKey {
  budgetMicros: number;
  spentMicros: number;
  unpricedCalls: number;
  /** Sum of the holds of other processes. */
  othersHeldMicros: number;
}

/** One process's changes to a budget: spending since the last time, and its current hold. */
export interface SpendingNews {
  /** Id of the process. */
  owner: string;
  spentMicros: number;
  unpricedCalls: number;
  heldMicros: number;
}

type Budgets = Storage<CostTables>;

/** Returns the budgets of all tenants, or the one of `key`. */
export async function readBudgets(storage: Budgets, owner: string, key?: BudgetKey): Promise<StoredBudget[]> {
  const { budgets, budgetHolds } = storage.tables;
  const { tenant, agent, budgetMicros, spentMicros, unpricedCalls } = budgets;
  const othersHeldMicros = sql`(select coalesce(sum(${budgetHolds.heldMicros}), 0) from ${budgetHolds}
    where ${budgetHolds.tenant} = ${tenant} and ${budgetHolds.agent} = ${agent} and ${budgetHolds.owner} <> ${owner})`;
  return storage.read
    .select({
      tenant,
      agent,
      budgetMicros,
      spentMicros,
      unpricedCalls,
      othersHeldMicros: othersHeldMicros.mapWith(Number),
    })
    .from(budgets)
    .where(key && and(eq(tenant, key.tenant), eq(agent, key.agent)));
}

/** Adds the spending and stores the hold in one transaction. Returns undefined if the budget doesn't exist any more. */
export function noteSpending(
  storage: Budgets,
  key: BudgetKey,
  { owner, heldMicros, ...news }: SpendingNews,
): Promise<StoredBudget | undefined> {
  const { tables } = storage;
  return storage.transact(async (tx) => {
    const [budget] = await addSpent(tx, tables).execute({ ...key, ...news });
    await writeHold(tx, storage, { ...key, owner, heldMicros: budget === undefined ? 0 : heldMicros });
    if (budget === undefined) return undefined;
    const [others] = await heldByOthers(tx, tables).execute({ ...key, owner });
    return { ...key, ...budget, othersHeldMicros: others?.micros ?? 0 };
  });
}

const addSpent = statement((tx: Query, { budgets }: CostTables) =>
  tx
    .update(budgets)
    .set({
      spentMicros: sql`${budgets.spentMicros} + ${sql.placeholder("spentMicros")}`,
      unpricedCalls: sql`${budgets.unpricedCalls} + ${sql.placeholder("unpricedCalls")}`,
    })
    .where(and(eq(budgets.tenant, sql.placeholder("tenant")), eq(budgets.agent, sql.placeholder("agent"))))
    .returning({
      budgetMicros: budgets.budgetMicros,
      spentMicros: budgets.spentMicros,
      unpricedCalls: budgets.unpricedCalls,
    })
    .prepare("add_spent"),
);

const heldByOthers = statement((tx: Query, { budgetHolds }: CostTables) =>
  tx
    .select({ micros: sql<number>`coalesce(sum(${budgetHolds.heldMicros}), 0)`.mapWith(Number) })
    .from(budgetHolds)
    .where(
      and(
        eq(budgetHolds.tenant, sql.placeholder("tenant")),
        eq(budgetHolds.agent, sql.placeholder("agent")),
        ne(budgetHolds.owner, sql.placeholder("owner")),
      ),
    )
    .prepare("held_by_others"),
);

async function writeHold(
  tx: Query,
  storage: Budgets,
  { tenant, agent, owner, heldMicros }: BudgetKey & { owner: string; heldMicros: number },
): Promise<void> {
  const { budgetHolds } = storage.tables;
  if (heldMicros === 0) {
    await tx
      .delete(budgetHolds)
      .where(and(eq(budgetHolds.tenant, tenant), eq(budgetHolds.agent, agent), eq(budgetHolds.owner, owner)));
    return;
  }
  const seenAt = storage.instant();
  await tx
    .insert(budgetHolds)
    .values({ tenant, agent, owner, heldMicros, seenAt })
    .onConflictDoUpdate({
      target: [budgetHolds.tenant, budgetHolds.agent, budgetHolds.owner],
      set: { heldMicros, seenAt },
    });
}

/** Sets an agent's budget. Keeps the spending so far unless `reset` is true. */
export async function putBudget(
  storage: Budgets,
  { tenant, agent }: BudgetKey,
  { budgetMicros, reset }: { budgetMicros: number; reset: boolean },
): Promise<void> {
  const { budgets } = storage.tables;
  await storage.transact((tx) =>
    tx
      .insert(budgets)
      .values({ tenant, agent, budgetMicros, spentMicros: 0, unpricedCalls: 0 })
      .onConflictDoUpdate({
        target: [budgets.tenant, budgets.agent],
        set: { budgetMicros, ...(reset ? { spentMicros: 0, unpricedCalls: 0 } : {}) },
      }),
  );
}

/** Deletes an agent's budget and its recorded spending. */
export async function removeBudget(storage: Budgets, { tenant, agent }: BudgetKey): Promise<void> {
  const { budgets, budgetHolds } = storage.tables;
  await storage.transact(async (tx) => {
    await tx.delete(budgets).where(and(eq(budgets.tenant, tenant), eq(budgets.agent, agent)));
    await tx.delete(budgetHolds).where(and(eq(budgetHolds.tenant, tenant), eq(budgetHolds.agent, agent)));
  });
}

/**
 * Counts the holds of dead processes as spent, for all tenants, because it is unknown whether their calls took place. A process is dead if
 * it was silent for `silentMs`; if that is undefined, no other process can be alive.
 */
export function countAbandoned(
  storage: Budgets,
  owner: string,
  silentMs: number | undefined,
): Promise<(BudgetKey & { heldMicros: number })[]> {
  const { budgets, budgetHolds } = storage.tables;
  const isAbandoned: SQL | undefined = and(
    ne(budgetHolds.owner, owner),
    silentMs === undefined ? undefined : lt(budgetHolds.seenAt, storage.instant(-silentMs)),
  );
  return storage.transact(async (tx) => {
    const { tenant, agent, heldMicros } = budgetHolds;
    const abandoned = await tx
      .delete(budgetHolds)
      .where(isAbandoned)
      .returning({ tenant, agent, heldMicros });
    for (const hold of abandoned) {
      await tx
        .update(budgets)
        .set({ spentMicros: sql`${budgets.spentMicros} + ${hold.heldMicros}` })
        .where(and(eq(budgets.tenant, hold.tenant), eq(budgets.agent, hold.agent)));
    }
    return abandoned;
  });
}

/** Renews the holds of this process, so others don't count them as abandoned. */
export async function touchHolds(storage: Budgets, owner: string): Promise<void> {
  const { budgetHolds } = storage.tables;
  const seenAt = storage.instant();
  await storage.transact((tx) => tx.update(budgetHolds).set({ seenAt }).where(eq(budgetHolds.owner, owner)));
}
