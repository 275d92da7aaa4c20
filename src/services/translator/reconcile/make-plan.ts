import type { ReconcilePlan } from "../../../contracts/translator/reconcile.ts";
import type { CloudResource, Gap, SpecReference } from "../../../contracts/translator/translation.ts";
import { planHash } from "../../../declared/plan-hash.ts";
import type { AccountResource, CloudAccount } from "../accounts/account.ts";
import { getProvider, type ReadSpec, specText, translate } from "../mapping/cloud-provider.ts";
import { type AppliedRow, appliedOf, type ReconcileStorage, sentResource } from "./applied-store.ts";
import { changesBetween, keyOf, type PlannedChange, presentChange } from "./plan-changes.ts";
import { inDependencyOrder, knownIds, readyResource } from "./wanted-state.ts";

/** A plan, and what is needed to carry it out. */
export interface MadePlan {
  plan: ReconcilePlan;
  changes: PlannedChange[];
  /** The spec's resources with references, dependencies first. */
  wanted: CloudResource[];
  held: AccountResource[];
  /** What was recorded as applied. */
  recorded: AppliedRow[];
  /** Ids of the references that the account holds. */
  ids: Map<string, string>;
}

/**
 * Compares what a spec becomes with what the account holds for it. Without `read`, the spec is to become nothing. Throws
 * `unresolved_reference` (422), or what the account throws.
 */
export async function makePlan(
  storage: ReconcileStorage,
  account: CloudAccount,
  spec: SpecReference,
  read: ReadSpec | undefined,
  signal: AbortSignal,
): Promise<MadePlan> {
  const provider = getProvider(account.provider);
  const translation = read && translate(provider, read);
  const recorded = await appliedOf(storage, account.name, spec);
  const sent = recorded.map(sentResource);
  const held = inOrderOf(sent.map(keyOf), await account.observe(specText(spec), sent, signal));
  const wanted = inDependencyOrder(spec, translation?.resources ?? []);
  const ids = await knownIds(account, spec, wanted, held, signal);
  const changes = changesBetween(
    held,
    wanted.map((resource) => readyResource(resource, ids)),
  );
  const plan = presentPlan(account, spec, changes, translation?.gaps ?? []);
  return { plan, changes, wanted, held, recorded, ids };
}

function presentPlan(
  { name: account, provider }: CloudAccount,
  { kind, name }: SpecReference,
  changes: readonly PlannedChange[],
  gaps: Gap[],
): ReconcilePlan {
  const place = { kind, name, provider, account };
  const presented = changes.map(presentChange);
  return { ...place, hash: planHash(place, presented), changes: presented, gaps };
}

/** Orders held resources as they were made; resources that were never recorded come last. */
function inOrderOf(keys: readonly string[], resources: readonly AccountResource[]): AccountResource[] {
  const place = (resource: AccountResource) => {
    const index = keys.indexOf(keyOf(resource));
    return index < 0 ? keys.length : index;
  };
  return resources.toSorted((one, other) => place(one) - place(other));
}
