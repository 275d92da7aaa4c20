import type { ReconcileResult } from "../../../contracts/translator/reconcile.ts";
import type { SpecReference } from "../../../contracts/translator/translation.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Logger } from "../../../kit/log.ts";
import {
  beginWork,
  endWork,
  interruptedRepeatedly,
  interruptionsMax,
  retryWork,
} from "../../../storage/begun-work.ts";
import { requireLease, underLease } from "../../../storage/lease.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { CloudAccount } from "../accounts/account.ts";
import { type ReadSpec, specText } from "../mapping/cloud-provider.ts";
import type { SpecTables } from "../specs/schema.ts";
import { requireSpec } from "../specs/store.ts";
import { beginReconcile, endReconcile, isOpenReconcile } from "./applied-store.ts";
import {
  type Application,
  type ApplyPorts,
  applyChanges,
  type Done,
  isRemoval,
  type TellStep,
} from "./apply-changes.ts";
import { type MadePlan, makePlan } from "./make-plan.ts";
import type { ReconcileTables } from "./schema.ts";

export interface ReconcilePorts extends ApplyPorts {
  storage: Storage<ReconcileTables & SpecTables>;
  newId: NewId;
  log: Logger;
  /** Aborts when the process stops. A reconcile goes on when its caller leaves, and is resumed by the next process. */
  stopping: AbortSignal;
  /** True if no person asks for it: it was begun by a process that died. */
  isResumed?: boolean;
}

export interface ReconcileOptions {
  /** The hash that the plan must have. */
  ifMatch?: string | undefined;
  tell?: TellStep | undefined;
}

/** How long another process waits before it takes over a reconcile whose process died. */
const leaseMs = 15_000;

/**
 * Makes the account hold what the spec becomes; without `read`, nothing. Throws `reconcile_running` (409) while another one does this for
 * the same spec and account, `spec_not_found` (404) if the spec was deleted, `plan_stale` (409), `unresolved_reference` (422), or what the account throws.
 */
export async function reconcile(
  ports: ReconcilePorts,
  account: CloudAccount,
  spec: SpecReference,
  read: ReadSpec | undefined,
  { ifMatch, tell }: ReconcileOptions = {},
): Promise<ReconcileResult> {
  const { storage, clock, newId, stopping } = ports;
  const leased = {
    name: `reconcile:${account.name}:${specText(spec)}`,
    owner: newId(),
    ttlMs: leaseMs,
    clock,
  };
  const ended = await underLease(
    storage,
    leased,
    async (lease, signal) => {
      await beginCounted(ports, account, spec, lease.owner);
      try {
        const made = await makePlan(storage, account, spec, read, signal);
        if (ifMatch !== undefined && ifMatch !== made.plan.hash) throw stalePlan(made);
        const done = await applyRecorded(ports, { account, spec, made, lease, signal, tell });
        return {
          kind: spec.kind,
          name: spec.name,
          ...done,
          gaps: made.plan.gaps.map(({ detail }) => detail),
        };
      } finally {
        // A process that loses its lease was too slow for 15 seconds, which counts as its death.
        if (!signal.aborted || stopping.aborted) {
          await endWork(storage, "reconcile", [keyOf(account, spec)], { stopped: stopping.aborted });
        }
      }
    },
    stopping,
  );
  if (ended !== undefined) return ended.result;
  throw reconcileRunning(spec, account.name);
}

const keyOf = (account: CloudAccount, spec: SpecReference) => `${account.name}/${specText(spec)}`;

/** Counts interruptions of a reconcile. The third one parks it until a person reconciles or deletes the spec again. */
async function beginCounted(
  { storage, log, isResumed = false }: ReconcilePorts,
  account: CloudAccount,
  spec: SpecReference,
  owner: string,
): Promise<void> {
  const work = { kind: "reconcile", key: keyOf(account, spec) } as const;
  if (!isResumed) await retryWork(storage, work);
  if ((await beginWork(storage, work, owner)) !== "parked") return;
  log.error("reconcile.parked", { account: account.name, spec: specText(spec) });
  throw new AppError(
    "conflict",
    interruptedRepeatedly,
    `Argosy ended ${interruptionsMax} times while it reconciled ${specText(spec)} with account ${account.name}.`,
    { details: { hint: "Reconcile it again." } },
  );
}

export const reconcileRunning = (spec: SpecReference, account: string): AppError =>
  new AppError(
    "conflict",
    "reconcile_running",
    `${specText(spec)} is being reconciled with account ${account} now.`,
    { details: { hint: "Try again when it has ended.", retryAfterSeconds: 1 } },
  );

/** Applies a plan, recorded as begun until it ends by itself. */
async function applyRecorded(ports: ReconcilePorts, application: Application): Promise<Done> {
  const { storage, clock, stopping } = ports;
  const { account, spec, made, lease, signal } = application;
  const open = {
    account: account.name,
    kind: spec.kind,
    name: spec.name,
    isRemoval: isRemoval(made),
  };
  const wasOpen = await isOpenReconcile(storage, open);
  const hasWork = made.changes.length > 0;
  if (hasWork) {
    await storage.transact(async (tx) => {
      await requireLease(tx, storage, lease);
      // The spec may have been deleted since the caller read it.
      if (!open.isRemoval) await requireSpec(tx, storage.tables, spec);
      await beginReconcile(tx, storage.tables, open, clock.now());
    });
  }
  const end = () => storage.transact((tx) => endReconcile(tx, storage.tables, open));
  try {
    const done = await applyChanges(ports, application);
    if (hasWork || wasOpen) await end();
    return done;
  } catch (thrown) {
    // What was broken off by the end of the process, or by the loss of the lease, is resumed.
    if (!signal.aborted && !stopping.aborted) await end();
    throw thrown;
  }
}

function stalePlan({ plan: { hash } }: MadePlan): AppError {
  return new AppError(
    "conflict",
    "plan_stale",
    "The manifest or the account has changed since the plan was made.",
    {
      details: { hint: "Make a new plan, look at it, and reconcile with its hash.", facts: { hash } },
    },
  );
}
