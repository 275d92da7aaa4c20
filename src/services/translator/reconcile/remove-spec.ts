import type { SpecReference } from "../../../contracts/translator/translation.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Accounts } from "../accounts/accounts.ts";
import { specText } from "../mapping/cloud-provider.ts";
import { deleteSpec } from "../specs/store.ts";
import { accountsHolding, boundTo } from "./applied-store.ts";
import { type ReconcilePorts, reconcile, reconcileRunning } from "./reconcile.ts";

export interface RemovePorts extends ReconcilePorts {
  accounts: Accounts;
}

/**
 * Deletes a spec. With `cascade`, first deletes its resources in all accounts. Throws `resources_held` (409) if accounts hold some
 * without `cascade`, or if another spec's resources refer to them, and `reconcile_running` (409) while a reconcile of the spec runs.
 */
export async function removeSpec(
  ports: RemovePorts,
  spec: SpecReference,
  cascade: boolean,
): Promise<{ deleted: string[] }> {
  const { storage, accounts } = ports;
  const holding = await accountsHolding(storage.read, storage.tables, spec);
  if (holding.length > 0 && !cascade) {
    throw new AppError(
      "conflict",
      "resources_held",
      `${specText(spec)} has resources in ${holding.join(", ")}.`,
      {
        details: { hint: "Add ?cascade=true to delete them too." },
      },
    );
  }
  for (const account of holding) {
    const bound = await boundTo(storage, account, spec);
    if (bound.length === 0) continue;
    throw new AppError(
      "conflict",
      "resources_held",
      `In account ${account}, ${bound.join(", ")} refers to resources of ${specText(spec)}.`,
      { details: { hint: `Delete or change ${bound.join(", ")} first.` } },
    );
  }
  const deleted: string[] = [];
  for (const name of holding) {
    const result = await reconcile(ports, accounts.get(name), spec, undefined);
    deleted.push(...result.deleted);
  }
  await storage.transact(async (tx) => {
    // Another reconcile may have begun since; it requires the spec in the same way, so one of the two is refused.
    const [account] = await accountsHolding(tx, storage.tables, spec);
    if (account !== undefined) throw reconcileRunning(spec, account);
    await deleteSpec(tx, storage.tables, spec);
  });
  return { deleted };
}
