import type { ReconcileStep } from "../../../contracts/translator/reconcile.ts";
import type { CloudResource, SpecReference } from "../../../contracts/translator/translation.ts";
import { fieldChanges } from "../../../declared/field-changes.ts";
import { AppError, toAppError, withFacts } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { type Lease, requireLease } from "../../../storage/lease.ts";
import type { CloudAccount, OperationPort } from "../accounts/account.ts";
import { specText } from "../mapping/cloud-provider.ts";
import { bindingsOf } from "../mapping/reference.ts";
import { dropApplied, putApplied, type ReconcileStorage, sentResource } from "./applied-store.ts";
import type { MadePlan } from "./make-plan.ts";
import { withOperation } from "./operation-store.ts";
import { keyOf, type PlannedChange } from "./plan-changes.ts";
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

export type TellStep = (step: ReconcileStep) => void;

/** One reconcile of one spec with one account. */
export interface Application {
  account: CloudAccount;
  spec: SpecReference;
  made: MadePlan;
  lease: Lease;
  signal: AbortSignal;
  /** Called when a change begins and when it is done. */
  tell?: TellStep | undefined;
}

/**
 * Carries out a plan, one change after the other, and records each. Throws the account's AppError with what was done until then; what is
 * left is done by the next reconcile.
 */
export async function applyChanges(ports: ApplyPorts, application: Application): Promise<Done> {
  const { account, spec, made, signal, tell } = application;
  const { storage, clock } = ports;
  const done: Done = { created: [], updated: [], deleted: [] };
  const text = specText(spec);
  const during = <Result>(change: PlannedChange, work: (operation: OperationPort) => Promise<Result>) => {
    const { resource_type, name } = change.action === "delete" ? change.held : change.resource;
    const key = { account: account.name, ...spec, resource_type, resource: name };
    return withOperation(storage, key, () => clock.now(), work);
  };
  try {
    await settleRecords(ports, application);
    for (const change of made.changes) {
      signal.throwIfAborted();
      tell?.(stepOf(change, "begun"));
      if (change.action === "delete") {
        const { held } = change;
        await during(change, (operation) => account.delete(text, held, operation, signal));
        await record(ports, application, { dropped: [held] });
        done.deleted.push(held.name);
        tell?.(stepOf(change, "done"));
        continue;
      }
      const resource = made.wanted.find((one) => keyOf(one) === keyOf(change.resource)) as CloudResource;
      // The ids of what was created before it are known by now.
      const ready = readyResource(resource, made.ids);
      const id = await during(change, async (operation) => {
        if (change.action === "create") return account.create(text, ready, operation, signal);
        await account.update(text, change.held.id, ready, operation, signal, change.held.config);
        return change.held.id;
      });
      made.ids.set(ownReference(spec, resource), id);
      await record(ports, application, { put: [resource] });
      (change.action === "create" ? done.created : done.updated).push(ready.name);
      tell?.(stepOf(change, "done"));
    }
    return done;
  } catch (thrown) {
    await noteUnanswered(ports, application, done);
    const error = withFacts(toAppError(thrown), { ...done, ...leftOf(application, done) });
    // A removal has advice of its own: another reconcile would make everything again.
    throw isRemoval(made) ? error : withAdvice(error);
  }
}

/** True if the account is to hold nothing of the spec. */
export const isRemoval = ({ wanted }: MadePlan): boolean => wanted.length === 0;

function stepOf(change: PlannedChange, state: ReconcileStep["state"]): ReconcileStep {
  const { resource_type, name } = change.action === "delete" ? change.held : change.resource;
  return { type: "step", action: change.action, resource: name, resource_type, state };
}

/** The change that failed, and those after it, which were not tried. */
function leftOf({ account, made: { changes } }: Application, done: Done) {
  const count = done.created.length + done.updated.length + done.deleted.length;
  const [failed, ...notTried] = changes.slice(count).map((change) => {
    const { resource_type, name } = change.action === "delete" ? change.held : change.resource;
    return { action: change.action, resource_type, resource: name, account: account.name };
  });
  return { ...(failed !== undefined && { failed }), not_tried: notTried };
}

/** The error with advice for a person, if it has none of its own. */
function withAdvice(error: AppError): AppError {
  if (error.details.hint !== undefined) return error;
  const { kind, code, message, details, cause } = error;
  const hint = "Mend the cause and reconcile again: what was done stays, and the rest is done.";
  return new AppError(kind, code, message, { details: { ...details, hint }, cause });
}

/**
 * Records resources that the account has although their creation failed: the cloud did its work and its answer was lost. Without a record,
 * deleting the spec would leave them behind. An account that can't be read keeps its error; the next reconcile finds them.
 */
async function noteUnanswered(ports: ApplyPorts, application: Application, done: Done): Promise<void> {
  const { account, spec, made, signal } = application;
  const missing = made.changes
    .flatMap((change) => (change.action === "create" ? [change.resource] : []))
    .filter(({ name }) => !done.created.includes(name));
  if (missing.length === 0 || signal.aborted) return;
  try {
    const resources = await account.observe(specText(spec), missing, signal);
    const idByKey = new Map(resources.map((resource) => [keyOf(resource), resource.id]));
    const put = made.wanted.filter(
      (one) => idByKey.has(keyOf(one)) && missing.some((other) => keyOf(other) === keyOf(one)),
    );
    for (const one of put) made.ids.set(ownReference(spec, one), idByKey.get(keyOf(one)) as string);
    if (put.length > 0) await record(ports, application, { put });
  } catch {
    // The failure that led here is the one to report.
  }
}

/**
 * Makes the records agree with the account, from which an earlier reconcile may have broken off before it could record what it had done:
 * a resource that is as wanted was applied, and one that is neither wanted nor there was deleted.
 */
async function settleRecords(ports: ApplyPorts, application: Application): Promise<void> {
  const { changes, wanted, held, recorded, ids } = application.made;
  const sentByKey = new Map(recorded.map(sentResource).map((sent) => [keyOf(sent), sent.config]));
  const heldKeys = new Set(held.map(keyOf));
  const wantedKeys = new Set(wanted.map(keyOf));
  const changed = new Set(
    changes.map((change) => keyOf(change.action === "delete" ? change.held : change.resource)),
  );
  const put = wanted.filter(
    (one) =>
      !changed.has(keyOf(one)) &&
      fieldChanges(sentByKey.get(keyOf(one)), readyResource(one, ids).config).length > 0,
  );
  const dropped = recorded
    .map(sentResource)
    .filter((one) => !heldKeys.has(keyOf(one)) && !wantedKeys.has(keyOf(one)));
  if (put.length + dropped.length > 0) await record(ports, application, { put, dropped });
}

/** Records resources as applied, with the ids that are known now, or as gone. */
async function record(
  { storage, clock }: ApplyPorts,
  { account: { name: account }, spec, made: { wanted, ids }, lease }: Application,
  { put = [], dropped = [] }: { put?: CloudResource[]; dropped?: { resource_type: string; name: string }[] },
): Promise<void> {
  const { kind, name } = spec;
  await storage.transact(async (tx) => {
    await requireLease(tx, storage, lease);
    for (const resource of put) {
      const resourceId = ids.get(ownReference(spec, resource));
      if (resourceId === undefined) continue;
      await putApplied(tx, storage.tables, {
        account,
        kind,
        name,
        resourceType: resource.resource_type,
        resourceName: resource.name,
        resourceId,
        position: wanted.indexOf(resource),
        bindings: [...bindingsOf(resource.config)],
        config: readyResource(resource, ids).config,
        appliedAt: clock.now(),
      });
    }
    for (const { resource_type, name: resource } of dropped)
      await dropApplied(tx, storage.tables, { account, kind, name, resource_type, resource });
  });
}
