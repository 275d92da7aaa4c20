import type { SpecReference } from "../../../contracts/translator/translation.ts";
import { toAppError, withFacts } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { type Lease, requireLease } from "../../../storage/lease.ts";
import type { CloudAccount, OperationPort } from "../accounts/account.ts";
import { bindingsOf } from "../mapping/reference.ts";
import { specText } from "../mapping/cloud-provider.ts";
import { dropApplied, putApplied, type ReconcileStorage } from "./applied-store.ts";
import type { MadePlan } from "./make-plan.ts";
import { withOperation } from "./operation-store.ts";
import { type Change, keyOf } from "./plan-changes.ts";
import { ownReference, readyResource } from "./wanted-state.ts";

export interface ApplyPorts {
  storage: ReconcileStorage;
  clock: Clock;
}

/** Names of the resources that were created, updated and deleted. */
export interface Done {
  created: string[];
  updated: string[];
  deleted: string[];
}

/**
 * Carries out a plan, one change after the other, and records each. Throws the account's AppError with what was done until then; what is
 * left is done by the next reconcile.
 */
export async function applyChanges(
  { storage, clock }: ApplyPorts,
  account: CloudAccount,
  spec: SpecReference,
  { changes, wanted, ids }: MadePlan,
  lease: Lease,
  signal: AbortSignal,
): Promise<Done> {
  const done: Done = { created: [], updated: [], deleted: [] };
  const wantedByKey = new Map(wanted.map((resource, position) => [keyOf(resource), { resource, position }]));
  const text = specText(spec);

  const during = <Result>(
    { resource_type, name }: { resource_type: string; name: string },
    work: (operation: OperationPort) => Promise<Result>,
  ) => {
    const key = { account: account.name, ...spec, resource_type, resource: name };
    return withOperation(storage, key, () => clock.now(), work);
  };
  /** Creates or updates, with the ids that are known by now, and records what was sent. */
  const put = async (change: Exclude<Change, { action: "delete" }>) => {
    const found = wantedByKey.get(keyOf(change.resource));
    if (found === undefined) return;
    const { resource, position } = found;
    const ready = readyResource(resource, ids);
    const id = await during(ready, async (operation) => {
      if (change.action === "create") return account.create(text, ready, operation, signal);
      await account.update(text, change.held.id, ready, operation, signal);
      return change.held.id;
    });
    ids.set(ownReference(spec, resource), id);
    await storage.transact(async (tx) => {
      await requireLease(tx, storage, lease);
      await putApplied(tx, storage.tables, {
        account: account.name,
        kind: spec.kind,
        name: spec.name,
        resourceType: ready.resource_type,
        resourceName: ready.name,
        resourceId: id,
        position,
        bindings: [...bindingsOf(resource.config)],
        config: ready.config,
        appliedAt: clock.now(),
      });
    });
    (change.action === "create" ? done.created : done.updated).push(ready.name);
  };
  const remove = async ({ held }: Extract<Change, { action: "delete" }>) => {
    await during(held, (operation) => account.delete(text, held, operation, signal));
    await storage.transact(async (tx) => {
      await requireLease(tx, storage, lease);
      const { resource_type, name: resource } = held;
      await dropApplied(tx, storage.tables, { account: account.name, ...spec, resource_type, resource });
    });
    done.deleted.push(held.name);
  };

  try {
    for (const change of changes) {
      signal.throwIfAborted();
      await (change.action === "delete" ? remove(change) : put(change));
    }
    return done;
  } catch (thrown) {
    throw withFacts(toAppError(thrown), { ...done });
  }
}
