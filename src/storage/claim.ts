import type { Storage } from "./storage.ts";

interface Lockable {
  for(strength: "update", config: { skipLocked: true }): unknown;
}

/**
 * The rows of `select` that no other transaction is claiming, locked until this one ends. On SQLite there is no other.
 * Name them in a CTE (`tx.$with("due").as(claimable(storage, …))`), as PostgreSQL may evaluate a subquery again and lock
 * too much, and let the transaction be `read committed`.
 */
export function claimable<Select extends Lockable>(
  { dialect }: Pick<Storage, "dialect">,
  select: Select,
): Select {
  if (dialect === "postgres") select.for("update", { skipLocked: true });
  return select;
}
