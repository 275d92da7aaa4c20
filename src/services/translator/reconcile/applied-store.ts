import { and, asc, eq, ne, or } from "drizzle-orm";
import type { SpecKind, SpecReference } from "../../../contracts/translator/translation.ts";
import type { Query, ReadQuery, Storage } from "../../../storage/storage.ts";
import type { ReadyResource } from "../accounts/account.ts";
import type { ReconcileTables } from "./schema.ts";

export type ReconcileStorage = Storage<ReconcileTables>;
export type AppliedRow = ReconcileTables["applied"]["$inferSelect"];

/** Returns what was applied for a spec, in the order of creation. */
export async function appliedOf(
  { read, tables: { applied } }: ReconcileStorage,
  account: string,
  { kind, name }: SpecReference,
): Promise<AppliedRow[]> {
  return read
    .select()
    .from(applied)
    .where(and(eq(applied.account, account), eq(applied.kind, kind), eq(applied.name, name)))
    .orderBy(asc(applied.position));
}

export const sentResource = ({ resourceType, resourceName, config }: AppliedRow): ReadyResource => ({
  resource_type: resourceType,
  name: resourceName,
  config,
});

/** Returns the accounts that hold resources of a spec, or may: a reconcile with them hasn't ended. */
export async function accountsHolding(
  query: ReadQuery,
  { applied, reconciles }: ReconcileTables,
  { kind, name }: SpecReference,
): Promise<string[]> {
  const accounts = await query
    .selectDistinct({ account: applied.account })
    .from(applied)
    .where(and(eq(applied.kind, kind), eq(applied.name, name)));
  const open = await query
    .select({ account: reconciles.account })
    .from(reconciles)
    .where(and(eq(reconciles.kind, kind), eq(reconciles.name, name)));
  return [...new Set([...accounts, ...open].map(({ account }) => account))].sort();
}

/** Returns the other specs whose resources in the account refer to resources of this one, as `<kind>/<name>`. */
export async function boundTo(
  { read, tables: { applied } }: ReconcileStorage,
  account: string,
  { kind, name }: SpecReference,
): Promise<string[]> {
  const rows = await read
    .select({ kind: applied.kind, name: applied.name, bindings: applied.bindings })
    .from(applied)
    .where(and(eq(applied.account, account), or(ne(applied.kind, kind), ne(applied.name, name))));
  const bound = rows.filter(({ bindings }) => bindings.some((one) => one.startsWith(`${kind}/${name}/`)));
  return [...new Set(bound.map((row) => `${row.kind}/${row.name}`))].sort();
}

export async function putApplied(tx: Query, { applied }: ReconcileTables, row: AppliedRow): Promise<void> {
  const { resourceId, bindings, config, appliedAt } = row;
  await tx
    .insert(applied)
    .values(row)
    .onConflictDoUpdate({
      target: [applied.account, applied.kind, applied.name, applied.resourceType, applied.resourceName],
      set: { resourceId, bindings, config, appliedAt },
    });
}

/** Forgets all resources, reconciles and operations of a spec in an account. Nothing changes in the account itself. */
export async function forgetAccount(
  tx: Query,
  { applied, reconciles, operations }: ReconcileTables,
  account: string,
  { kind, name }: SpecReference,
): Promise<AppliedRow[]> {
  for (const table of [reconciles, operations])
    await tx.delete(table).where(and(eq(table.account, account), eq(table.kind, kind), eq(table.name, name)));
  return tx
    .delete(applied)
    .where(and(eq(applied.account, account), eq(applied.kind, kind), eq(applied.name, name)))
    .returning();
}

interface ResourceKey extends SpecReference {
  account: string;
  resource_type: string;
  resource: string;
}

export async function dropApplied(
  tx: Query,
  { applied }: ReconcileTables,
  { account, kind, name, resource_type, resource }: ResourceKey,
): Promise<void> {
  await tx
    .delete(applied)
    .where(
      and(
        eq(applied.account, account),
        eq(applied.kind, kind),
        eq(applied.name, name),
        eq(applied.resourceType, resource_type),
        eq(applied.resourceName, resource),
      ),
    );
}

/** A reconcile that hasn't ended. */
export interface OpenReconcile extends SpecReference {
  account: string;
  isRemoval: boolean;
}

export async function beginReconcile(
  tx: Query,
  { reconciles }: ReconcileTables,
  open: OpenReconcile,
  startedAt: Date,
): Promise<void> {
  const { isRemoval } = open;
  await tx
    .insert(reconciles)
    .values({ ...open, startedAt })
    .onConflictDoUpdate({
      target: [reconciles.account, reconciles.kind, reconciles.name],
      set: { isRemoval, startedAt },
    });
}

export async function endReconcile(
  tx: Query,
  { reconciles }: ReconcileTables,
  { account, kind, name }: Omit<OpenReconcile, "isRemoval">,
): Promise<void> {
  await tx
    .delete(reconciles)
    .where(and(eq(reconciles.account, account), eq(reconciles.kind, kind), eq(reconciles.name, name)));
}

export async function isOpenReconcile(
  { read, tables: { reconciles } }: ReconcileStorage,
  { account, kind, name }: Omit<OpenReconcile, "isRemoval">,
): Promise<boolean> {
  const rows = await read
    .select({ name: reconciles.name })
    .from(reconciles)
    .where(and(eq(reconciles.account, account), eq(reconciles.kind, kind), eq(reconciles.name, name)));
  return rows.length > 0;
}

export async function openReconciles({
  read,
  tables: { reconciles },
}: ReconcileStorage): Promise<OpenReconcile[]> {
  const rows = await read.select().from(reconciles).orderBy(asc(reconciles.startedAt));
  return rows.map(({ account, kind, name, isRemoval }) => ({
    account,
    kind: kind as SpecKind,
    name,
    isRemoval,
  }));
}
