import type { Query } from "../../../../storage/storage.ts";
import {
  addToCounter,
  type CounterKey,
  type CreditCounter,
  counterKeys,
} from "../../counters/credit-counters.ts";
import { type ChargedRun, settleGrants } from "../../grants/settle-grants.ts";
import type { PlatformTables } from "../../tables.ts";

/** A counter after a change of a run's charge. */
export interface ChargedCounter extends CreditCounter {
  scope: string;
  /** Credits of grants that the month's runs used or can still use. */
  allGrantsMicros: number;
}

/** Adds a run's charge, or a correction of it, to the counters of its scopes, and lets grants pay their part. */
export async function changeCharge(
  tx: Query,
  tables: PlatformTables,
  run: ChargedRun,
  { now, ...change }: Partial<CreditCounter> & { now: Date },
): Promise<ChargedCounter[]> {
  const keys = counterKeys(run.tenantId, run.subscriptionId, run.month);
  const counters = await addToAll(tx, tables, keys, change);
  const { chargedMicros = 0, heldGrantMicros = 0 } = change;
  const granting = { chargedMicros, releasedMicros: -heldGrantMicros, counters, now };
  const { grantedMicros, leftMicros } = await settleGrants(tx, tables, run, granting);
  const settled = grantedMicros === 0 ? counters : await addToAll(tx, tables, keys, { grantedMicros });
  return settled.map((counter, index) => ({
    ...counter,
    scope: keys[index]?.scope ?? "",
    allGrantsMicros: counter.grantedMicros + leftMicros,
  }));
}

async function addToAll(
  tx: Query,
  tables: PlatformTables,
  keys: readonly CounterKey[],
  change: Partial<CreditCounter>,
): Promise<CreditCounter[]> {
  const counters: CreditCounter[] = [];
  for (const key of keys) counters.push(await addToCounter(tx, tables, key, change));
  return counters;
}
