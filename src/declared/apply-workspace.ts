import type { WorkspaceChange } from "../contracts/platform/workspace.ts";
import type { ChangeAction } from "../contracts/translator/reconcile.ts";
import { AppError, type Problem, toAppError } from "../kit/app-error.ts";
import { type Clock, sleep } from "../kit/clock.ts";
import {
  type AppliedValues,
  type MadeWorkspacePlan,
  type PlanStep,
  stalePlan,
  type WorkspaceConflict,
} from "./plan-workspace.ts";
import { recordSecrets } from "./secret-field.ts";
import { type Declared, keyText, type ResourceKey, type WorkspaceTarget } from "./workspace-kind.ts";

/** Outcome of one change. */
export interface StepResult {
  action: ChangeAction;
  resource_type: string;
  resource: string;
  status: "done" | "failed" | "skipped";
  /** For a failed change. */
  error?: string;
  /** Reason of a failure, or of a change that was skipped. */
  message?: string;
  /** Next step for a person. */
  hint?: string;
  problems?: Problem[];
}

/** Notice for a person who waits. */
export type ApplyNotice =
  | { at: "begin"; index: number; count: number; step: PlanStep }
  | { at: "wait"; seconds: number; message: string }
  | { at: "end"; result: StepResult };

export interface ApplyOptions {
  clock: Clock;
  signal: AbortSignal;
  /** Hash that the plan must have. */
  hash?: string | undefined;
  told: (progress: ApplyNotice) => void;
}

/** Times that a change is repeated when the platform puts it off, and the longest wait of each. */
const putOffMax = 5;
const waitSecondsMax = 120;

/**
 * Carries out a plan, one change after the other, and records each. A change that fails doesn't stop those that don't need it; nothing is
 * deleted after a failure. Throws `plan_stale` or `workspace_conflict` (409) before anything was changed.
 */
export async function applyWorkspace(
  target: WorkspaceTarget,
  made: MadeWorkspacePlan,
  { clock, signal, hash, told }: ApplyOptions,
): Promise<StepResult[]> {
  const { plan, steps, toRecord, toForget } = made;
  if (hash !== undefined && hash !== plan.hash) throw stalePlan(plan);
  if (plan.conflicts.length > 0) throw conflictError(plan.conflicts);
  const records = new Records(target, made.revision);
  const creates = steps.flatMap((step) => (step.action === "create" ? [step.declared] : []));
  // Recorded before they are created, so that a process that ends in between leaves nothing without an owner.
  await records.change({
    put: [...creates.map(pendingRecord), ...toRecord.map(recordOf)],
    drop: toForget.map(keyOf),
  });
  const results: StepResult[] = [];
  const failed = new Set<string>();
  for (const [index, step] of steps.entries()) {
    signal.throwIfAborted();
    told({ at: "begin", index, count: steps.length, step });
    const result = await perform(step);
    if (result.status !== "done") failed.add(keyText(subjectOf(step)));
    results.push(result);
    told({ at: "end", result });
  }
  return results;

  async function perform(step: PlanStep): Promise<StepResult> {
    const { action, resource_type, resource } = step.change;
    const base = { action, resource_type, resource };
    const reason = skipReason(step, failed);
    if (reason !== undefined)
      return { ...base, status: "skipped", message: reason, hint: "Mend the failure and apply again." };
    try {
      await patiently(() => carryOut(target, step), { clock, signal, told });
    } catch (thrown) {
      signal.throwIfAborted();
      const { code, status, message, details } = toAppError(thrown);
      // A refused create made nothing, so a resource of this name belongs to another owner.
      if (action === "create" && status < 500)
        await records.change({ put: [], drop: [keyOf(subjectOf(step))] });
      const { hint = "Apply again: what is done stays, and the rest is done.", problems } = details;
      return { ...base, status: "failed", error: code, message, hint, ...(problems && { problems }) };
    }
    await records.change(
      step.action === "delete"
        ? { put: [], drop: [keyOf(step.present)] }
        : { put: [recordOf(step.declared)], drop: [] },
    );
    return { ...base, status: "done" };
  }
}

const subjectOf = (step: PlanStep): ResourceKey => (step.action === "delete" ? step.present : step.declared);

async function carryOut(target: WorkspaceTarget, step: PlanStep): Promise<void> {
  if (step.action === "create") await step.kind.create(target, step.declared);
  else if (step.action === "update") await step.kind.update(target, step.declared, step.present);
  else {
    await step.kind.delete?.(target, step.present).catch((thrown) => {
      // It was deleted by another caller in the meantime.
      if (!(thrown instanceof AppError && thrown.kind === "not_found")) throw thrown;
    });
  }
}

function skipReason(step: PlanStep, failed: ReadonlySet<string>): string | undefined {
  if (failed.size === 0) return undefined;
  if (step.action === "delete") return "Nothing is deleted after a failure.";
  const need = step.declared.needs.find((one) => failed.has(one));
  return need === undefined ? undefined : `It needs ${need}, which failed.`;
}

/** Repeats work that the platform puts off because of its limits, after the time that it asks for. */
async function patiently(
  work: () => Promise<void>,
  { clock, signal, told }: Pick<ApplyOptions, "clock" | "signal" | "told">,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await work();
      return;
    } catch (thrown) {
      const { kind, message, details } = toAppError(thrown);
      const seconds = details.retryAfterSeconds;
      const isPutOff = (kind === "rate_limited" || kind === "unavailable") && seconds !== undefined;
      if (!isPutOff || seconds > waitSecondsMax || attempt > putOffMax) throw thrown;
      told({ at: "wait", seconds, message });
      await sleep(clock, seconds * 1000, signal);
    }
  }
}

const keyOf = ({ type, name }: ResourceKey) => ({ resource_type: type, name });

type RecordPut = WorkspaceChange["put"][number];

function recordOf(declared: Declared): RecordPut {
  const applied: AppliedValues = { config: declared.config, secrets: recordSecrets(declared.secrets) };
  return { ...keyOf(declared), applied };
}

const pendingRecord = (declared: Declared): RecordPut => ({
  ...keyOf(declared),
  applied: { pending: true },
});

/** Limits of one change of the records; the platform takes 1000 entries and 8 MiB. */
const entriesMax = 500;
const charactersMax = 2_000_000;

/** Cuts entries into pieces within the limits; a single large one is a piece of its own. */
function piecesOf<Entry>(entries: readonly Entry[]): Entry[][] {
  const pieces: Entry[][] = [];
  let characters = 0;
  for (const entry of entries) {
    const size = JSON.stringify(entry).length;
    const piece = pieces.at(-1);
    if (piece === undefined || piece.length === entriesMax || characters + size > charactersMax) {
      pieces.push([entry]);
      characters = size;
    } else {
      piece.push(entry);
      characters += size;
    }
  }
  return pieces;
}

/** The records of a tenant's workspace. Each change is refused with `workspace_changed` if another apply made one in between. */
class Records {
  readonly #target: WorkspaceTarget;
  #revision: number;

  constructor(target: WorkspaceTarget, revision: number) {
    this.#target = target;
    this.#revision = revision;
  }

  async change({ put, drop }: Omit<WorkspaceChange, "revision">): Promise<void> {
    for (const piece of piecesOf(put)) await this.#send({ put: piece, drop: [] });
    for (const piece of piecesOf(drop)) await this.#send({ put: [], drop: piece });
  }

  async #send(change: Omit<WorkspaceChange, "revision">): Promise<void> {
    const { control, tenantId } = this.#target;
    const { revision } = await control.changeWorkspace(tenantId, { revision: this.#revision, ...change });
    this.#revision = revision;
  }
}

function conflictError(conflicts: readonly WorkspaceConflict[]): AppError {
  const [first] = conflicts;
  const more = conflicts.length > 1 ? ` (and ${conflicts.length - 1} more)` : "";
  return new AppError("conflict", "workspace_conflict", `${first?.message}${more} Nothing was changed.`, {
    details: {
      hint: first?.hint ?? "",
      problems: conflicts.map(({ resource_type, resource, message }) => ({
        path: `${resource_type} ${resource}`,
        message,
      })),
    },
  });
}
