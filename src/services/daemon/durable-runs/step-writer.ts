import { type KeptSteps, shortened } from "../../../engine/approvals/kept-steps.ts";
import type { JournalEntry } from "../../../engine/approvals/paused-run.ts";
import type { RunFence } from "../../../engine/memory/conversation.ts";
import type { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import { sealText } from "../../../storage/sealed-text.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { CallerRunRow, DurableRunTables, RunStepsRow } from "./schema.ts";
import { insertSteps, type RunKey } from "./store.ts";
import { takenOver } from "./taken-over.ts";

export interface StepPorts {
  storage: Storage<DurableRunTables>;
  sealer: Sealer | undefined;
  clock: Clock;
  log: Logger;
  /** Aborts when the time for a graceful stop is over. */
  stopping: AbortSignal;
}

/** Steps are written together this long after the first of them: a commit for each would cost more than the run. */
const writeAfterMs = 100;
const againAfterMs = 1000;
const batchMax = 64;

/** Context for sealing the steps of one row. */
export const stepsContext = ({ tenant, runId }: RunKey, number: number) => ({
  purpose: "run steps",
  tenant,
  name: `${runId} ${number}`,
});

/** Writes the steps of all durable runs of this process, many runs in one commit. */
export class StepWriter {
  readonly ports: StepPorts;
  readonly #due = new Set<OpenSteps>();
  #writing: Promise<void> | undefined;
  #stopTimer: (() => void) | undefined;

  constructor(ports: StepPorts) {
    this.ports = ports;
  }

  later(run: OpenSteps, afterMs = writeAfterMs): void {
    this.#due.add(run);
    this.#stopTimer ??= this.ports.clock.timer(afterMs, () => this.soon());
  }

  forget(run: OpenSteps): void {
    this.#due.delete(run);
  }

  /** Writes at once, without waiting. What fails is written with the next steps. */
  soon(): void {
    void this.flush().catch((err) => this.ports.log.warn("run_steps.unwritten", { err }));
  }

  /** Writes everything that is due when it is called. Rejects if it can't be written now, and keeps it. */
  async flush(): Promise<void> {
    // What is being written was taken before, and does not include the newest.
    if (this.#writing !== undefined) await this.#writing.catch(() => {});
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  /** Resolves when what is being written is written, or has failed. */
  async written(): Promise<void> {
    await this.#writing?.catch(() => {});
  }

  async #write(): Promise<void> {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    const due = [...this.#due];
    this.#due.clear();
    for (let at = 0; at < due.length; at += batchMax) {
      const batch = due.slice(at, at + batchMax);
      try {
        await this.#writeBatch(batch);
      } catch (thrown) {
        for (const run of due.slice(at)) if (run.giveBack()) this.later(run, againAfterMs);
        throw thrown;
      }
    }
  }

  async #writeBatch(batch: readonly OpenSteps[]): Promise<void> {
    const writtenAt = this.ports.clock.now();
    const rows = batch.flatMap((run) => run.take(writtenAt) ?? []);
    if (rows.length === 0) return;
    const begun = batch.flatMap((run) => run.begun() ?? []);
    const written = new Set((await insertSteps(this.ports.storage, rows, begun)).map(nameOf));
    for (const run of batch) run.settled(written.has(nameOf(run.key)));
  }
}

const nameOf = ({ tenant, runId }: RunKey) => `${tenant} ${runId}`;

/** How a run begins to keep its steps in this process. */
interface Beginning {
  /** Steps of the processes before. */
  earlier?: readonly JournalEntry[];
  /** Number of the first row to write. */
  number?: number;
  /** The run's own row, stored together with its first steps. */
  row?: (() => CallerRunRow) | undefined;
  /** Aborts when the process is gone that asked for the run, and then lets another one continue it. */
  left?: AbortSignal | undefined;
}

/** The steps of one run that goes on in this process. */
export class OpenSteps implements KeptSteps {
  readonly key: RunKey;
  readonly earlier: readonly JournalEntry[] | undefined;
  readonly fence: RunFence;
  readonly #writer: StepWriter;
  readonly #fingerprint: () => string;
  #number: number;
  #waiting: (() => JournalEntry)[] = [];
  /** Steps that are being written. */
  #taken: (() => JournalEntry)[] = [];
  #isKept: boolean;
  #lost: AppError | undefined;
  #whenLost: (reason: unknown) => void = () => {};
  readonly #row: (() => CallerRunRow) | undefined;
  readonly #left: AbortSignal | undefined;

  constructor(
    writer: StepWriter,
    key: RunKey,
    fingerprint: () => string,
    { earlier, number = 0, row, left }: Beginning = {},
  ) {
    this.#writer = writer;
    this.key = key;
    this.#fingerprint = fingerprint;
    this.earlier = earlier;
    this.#number = number;
    this.fence = { ...key, from: number };
    this.#isKept = earlier !== undefined;
    this.#row = row;
    this.#left = left;
  }

  get runId(): string {
    return this.key.runId;
  }

  /** True if there are rows of the run, which its control plane has to delete. */
  get isKept(): boolean {
    return this.#isKept;
  }

  add(step: () => JournalEntry): void {
    if (this.#lost !== undefined) return;
    this.#waiting.push(step);
    this.#writer.later(this);
  }

  hurry(): void {
    this.#writer.soon();
  }

  async stored(): Promise<void> {
    while (this.#lost === undefined && this.#waiting.length + this.#taken.length > 0)
      await this.#writer.flush();
    if (this.#lost !== undefined) throw this.#lost;
  }

  isLeaving(): boolean {
    return this.#writer.ports.stopping.aborted || this.#left?.aborted === true;
  }

  whenLost(lost: (reason: unknown) => void): void {
    this.#whenLost = lost;
  }

  /** Must be called when the run has ended here. If the process is stopping, another one continues with the steps so far. */
  async close(): Promise<void> {
    if (this.isLeaving()) await this.stored().catch(() => {});
    this.#drop();
    if (this.#taken.length === 0) return;
    // What is being written stays, and who ends the run deletes it. What can't be written is not tried again.
    await this.#writer.written();
    this.#drop();
  }

  #drop(): void {
    this.#waiting = [];
    this.#writer.forget(this);
  }

  /** For the writer: the row with the steps that wait; undefined if none do. */
  take(writtenAt: Date): RunStepsRow | undefined {
    if (this.#waiting.length === 0) return undefined;
    this.#taken = this.#waiting;
    this.#waiting = [];
    const number = this.#number;
    const steps = JSON.stringify(this.#taken.map((step) => shortened(step())));
    const { sealer } = this.#writer.ports;
    return {
      ...this.key,
      number,
      fingerprint: this.#fingerprint(),
      steps: sealText(sealer, steps, stepsContext(this.key, number)),
      writtenAt,
    };
  }

  /** For the writer: the row of a run whose first steps are being written, if it has none yet. */
  begun(): CallerRunRow | undefined {
    return this.#taken.length > 0 && !this.#isKept ? this.#row?.() : undefined;
  }

  /** For the writer: the row was stored, or its place was taken by another process. */
  settled(isStored: boolean): void {
    if (this.#taken.length === 0) return;
    this.#taken = [];
    this.#number++;
    this.#isKept = true;
    if (isStored) return;
    this.#lost = takenOver();
    this.#waiting = [];
    this.#whenLost(this.#lost);
  }

  /** For the writer: the row could not be stored. Returns true if there are steps to write. */
  giveBack(): boolean {
    this.#waiting = [...this.#taken, ...this.#waiting];
    this.#taken = [];
    return this.#waiting.length > 0;
  }
}
