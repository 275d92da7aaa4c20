import type { ForgottenResource } from "../../../contracts/translator/reconcile.ts";
import type { SpecReference } from "../../../contracts/translator/translation.ts";
import { AppError, toAppError, withFacts } from "../../../kit/app-error.ts";
import type { CloudAccount } from "../accounts/account.ts";
import type { Accounts } from "../accounts/accounts.ts";
import { specText } from "../mapping/cloud-provider.ts";
import { deleteSpec } from "../specs/store.ts";
import { accountsHolding, appliedOf, boundTo, forgetAccount } from "./applied-store.ts";
import { type ReconcilePorts, reconcile, reconcileRunning } from "./reconcile.ts";

export interface RemovePorts extends ReconcilePorts {
  accounts: Accounts;
}

export interface Removed {
  deleted: string[];
  forgotten?: ForgottenResource[];
}

/**
 * Deletes a spec. With `cascade`, first deletes its resources in all accounts. Throws `resources_held` (409) if accounts hold some
 * without `cascade`, or if another spec's resources refer to them, `account_missing` (409) if an account that holds some isn't configured
 * any more, unless `forgetMissing`, and `reconcile_running` (409) while a reconcile of the spec runs. An account's failure has what was
 * done in all accounts.
 */
export async function removeSpec(
  ports: RemovePorts,
  spec: SpecReference,
  cascade: boolean,
  forgetMissing = false,
): Promise<Removed> {
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
  const missing = holding.filter((name) => accounts.find(name) === undefined);
  if (missing.length > 0 && !forgetMissing) throw accountMissing(spec, missing);
  const deleted: string[] = [];
  const left = holding.flatMap((name) => accounts.find(name) ?? []);
  try {
    for (let account = left[0]; account !== undefined; account = left[0]) {
      const result = await reconcile(ports, account, spec, undefined);
      deleted.push(...result.deleted);
      left.shift();
    }
    const forgotten = await storage.transact(async (tx) => {
      const rows = [];
      for (const account of missing) rows.push(...(await forgetAccount(tx, storage.tables, account, spec)));
      // Another reconcile may have begun since; it requires the spec in the same way, so one of the two is refused.
      const [account] = await accountsHolding(tx, storage.tables, spec);
      if (account !== undefined) throw reconcileRunning(spec, account);
      await deleteSpec(tx, storage.tables, spec);
      return rows;
    });
    if (forgotten.length === 0) return { deleted };
    return {
      deleted,
      forgotten: forgotten.map(({ account, resourceType, resourceName, resourceId }) => ({
        account,
        resource_type: resourceType,
        resource: resourceName,
        id: resourceId,
      })),
    };
  } catch (thrown) {
    const error = withFacts(toAppError(thrown), await doneAndLeft(ports, spec, { thrown, deleted, left }));
    throw withRemovalAdvice(error, missing.length > 0);
  }
}

const accountMissing = (spec: SpecReference, missing: readonly string[]): AppError =>
  new AppError(
    "conflict",
    "account_missing",
    `${specText(spec)} has resources in ${missing.join(", ")}, and runtime.yaml has no such account any more. Nothing was deleted.`,
    {
      details: {
        hint: "Add the account to spec.translator.accounts again to delete them. To leave them in the cloud and forget them, add &forget_missing=true (argosy destroy --forget-missing).",
        facts: { accounts: missing },
      },
    },
  );

/** Lists what was deleted in all accounts and what was not tried. The account that failed is the first of `left`. */
async function doneAndLeft(
  { storage }: RemovePorts,
  spec: SpecReference,
  { thrown, deleted, left }: { thrown: unknown; deleted: readonly string[]; left: readonly CloudAccount[] },
) {
  const facts = (thrown instanceof AppError && thrown.details.facts) || {};
  const { deleted: last, not_tried: notTried } = facts as { deleted?: string[]; not_tried?: object[] };
  // An account that failed before its plan was made names no resources.
  const untried = notTried === undefined ? left : left.slice(1);
  const rows = [];
  for (const { name } of untried) rows.push(...(await appliedOf(storage, name, spec)).toReversed());
  return {
    deleted: [...deleted, ...(last ?? [])],
    not_tried: [
      ...(notTried ?? []),
      ...rows.map(({ account, resourceType, resourceName }) => ({
        action: "delete",
        resource_type: resourceType,
        resource: resourceName,
        account,
      })),
    ],
  };
}

/** The error with what to do next. Another reconcile would make again what was deleted. */
function withRemovalAdvice(error: AppError, forgetsMissing: boolean): AppError {
  const { kind, code, message, details, cause } = error;
  const query = `?cascade=true${forgetsMissing ? "&forget_missing=true" : ""}`;
  const advice = `Delete again with ${query}: what was deleted stays deleted, and the rest is deleted.`;
  const hint = `${details.hint ?? "Fix the cause."} ${advice}`;
  return new AppError(kind, code, message, { details: { ...details, hint }, cause });
}
