import type { Drift } from "../../../contracts/translator/reconcile.ts";
import type { SpecReference } from "../../../contracts/translator/translation.ts";
import type { CloudAccount } from "../accounts/account.ts";
import { specText } from "../mapping/cloud-provider.ts";
import { appliedOf, type ReconcileStorage, sentResource } from "./applied-store.ts";
import { changesBetween, presentChange } from "./plan-changes.ts";

/** Compares the account with what was last applied to it, whatever the manifest says now. */
export async function findDrift(
  storage: ReconcileStorage,
  account: CloudAccount,
  spec: SpecReference,
  signal: AbortSignal,
): Promise<Drift> {
  const sent = (await appliedOf(storage, account.name, spec)).map(sentResource);
  const resources = await account.observe(specText(spec), sent, signal);
  const changes = changesBetween(resources, sent).map(presentChange);
  return { kind: spec.kind, name: spec.name, account: account.name, drifted: changes.length > 0, changes };
}
