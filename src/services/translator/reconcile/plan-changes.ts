import type { ResourceChange } from "../../../contracts/translator/reconcile.ts";
import { fieldChanges } from "../../../declared/field-changes.ts";
import type { AccountResource, ReadyResource } from "../accounts/account.ts";

/** A change of one resource, with what the account needs for it. */
export type PlannedChange =
  | { action: "create"; resource: ReadyResource }
  | { action: "update"; resource: ReadyResource; held: AccountResource }
  | { action: "delete"; held: AccountResource };

/**
 * Returns the changes that make `held` like `wanted`: creates in the order of `wanted`, which has dependencies first, then updates, then
 * deletes in reverse of the order in which the resources were made.
 */
export function changesBetween(
  resources: readonly AccountResource[],
  wanted: readonly ReadyResource[],
): PlannedChange[] {
  const heldByKey = new Map(resources.map((resource) => [keyOf(resource), resource]));
  const wantedKeys = new Set(wanted.map(keyOf));
  const creates: PlannedChange[] = [];
  const updates: PlannedChange[] = [];
  for (const resource of wanted) {
    const there = heldByKey.get(keyOf(resource));
    if (there === undefined) creates.push({ action: "create", resource });
    else if (fieldChanges(there.config, resource.config).length > 0)
      updates.push({ action: "update", resource, held: there });
  }
  const deletes = resources
    .filter((resource) => !wantedKeys.has(keyOf(resource)))
    .reverse()
    .map((resource): PlannedChange => ({ action: "delete", held: resource }));
  return [...creates, ...updates, ...deletes];
}

/** A resource within its spec. */
export const keyOf = ({ resource_type, name }: { resource_type: string; name: string }): string =>
  `${resource_type}/${name}`;

export function presentChange(change: PlannedChange): ResourceChange {
  const { resource_type, name } = change.action === "delete" ? change.held : change.resource;
  const before = change.action === "create" ? undefined : change.held.config;
  const after = change.action === "delete" ? undefined : change.resource.config;
  return { action: change.action, resource: name, resource_type, fields: fieldChanges(before, after) };
}
