import type { CloudResource, SpecReference } from "../../../contracts/translator/translation.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { AccountResource, CloudAccount, ReadyResource } from "../accounts/account.ts";
import { bindingsOf, referenceText, resolveBindings } from "../mapping/reference.ts";
import { keyOf } from "./plan-changes.ts";

/** The ids of resources that configs refer to, by the reference's text. */
export type ResourceIds = ReadonlyMap<string, string>;

/** Orders the resources of a spec so that each stands after those that it refers to. */
export function inDependencyOrder(spec: SpecReference, resources: readonly CloudResource[]): CloudResource[] {
  const byReference = new Map(resources.map((resource) => [ownReference(spec, resource), resource]));
  const ordered = new Set<CloudResource>();
  const visit = (resource: CloudResource, above: readonly CloudResource[]) => {
    if (ordered.has(resource) || above.includes(resource)) return;
    for (const reference of bindingsOf(resource.config)) {
      const other = byReference.get(reference);
      if (other !== undefined) visit(other, [...above, resource]);
    }
    ordered.add(resource);
  };
  for (const resource of resources) visit(resource, []);
  return [...ordered];
}

export const ownReference = (
  { kind, name }: SpecReference,
  resource: Pick<CloudResource, "resource_type" | "name">,
): string => referenceText({ kind, spec: name, resource_type: resource.resource_type, name: resource.name });

/**
 * Returns the ids that the account has for all references of the resources. References to resources of the same spec may be unknown yet:
 * they are about to be created. Throws `unresolved_reference` (422) for any other.
 */
export async function knownIds(
  account: CloudAccount,
  spec: SpecReference,
  resources: readonly CloudResource[],
  heldResources: readonly AccountResource[],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const ids = new Map(heldResources.map((resource) => [ownReference(spec, resource), resource.id]));
  const own = new Set(resources.map((resource) => ownReference(spec, resource)));
  const others = new Set(
    resources.flatMap(({ config }) => bindingsOf(config)).filter((reference) => !own.has(reference)),
  );
  const bySpec = Map.groupBy(others, (reference) => reference.split("/").slice(0, 2).join("/"));
  for (const [other, references] of bySpec) {
    const there = await account.observe(other, [], signal);
    const idByKey = new Map(there.map((resource) => [`${other}/${keyOf(resource)}`, resource.id]));
    for (const reference of references) {
      const id = idByKey.get(reference);
      if (id === undefined) throw unresolved(account, spec, reference, other);
      ids.set(reference, id);
    }
  }
  return ids;
}

function unresolved(
  { name: account }: CloudAccount,
  { kind, name }: SpecReference,
  reference: string,
  other: string,
): AppError {
  return new AppError(
    "unprocessable",
    "unresolved_reference",
    `${kind}/${name} refers to ${reference}, which account ${account} doesn't hold. Nothing was applied.`,
    { details: { hint: `Submit ${other} and reconcile it first.` } },
  );
}

/** Returns a resource as it is sent. References without an id stay as they are written: a plan shows them. */
export function readyResource(
  { resource_type, name, config }: CloudResource,
  ids: ResourceIds,
): ReadyResource {
  return {
    resource_type,
    name,
    config: resolveBindings(config, (reference) => ids.get(reference) ?? reference),
  };
}
