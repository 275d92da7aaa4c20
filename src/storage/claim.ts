import type { Storage } from "./storage.ts";

interface Lockable {
  for(strength: "update", config: { skipLocked: true }): unknown;
}

/**
 * Selects the rows of `select` that no other transaction is claiming, and locks them until this one ends. On SQLite, there is no other
 * transaction. Put the query into a CTE (`tx.$with("due").as(claimable(storage, …))`), because PostgreSQL may evaluate a subquery again and
 * lock too much. Use a `read committed` transaction.
 */
export function claimable<Select extends Lockable>(
  { dialect }: Pick<Storage, "dialect">,
  select: Select,
): Select {
  if (dialect === "postgres") select.for("update", { skipLocked: true });
  return select;
}
