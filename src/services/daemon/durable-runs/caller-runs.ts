import type { RunPorts } from "../../../engine/run/run.ts";
import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import { sleep } from "../../../kit/clock.ts";
import { credentialDigest } from "../../../kit/credential-digest.ts";
import type { NewId } from "../../../kit/id.ts";
import { canonicalJson } from "../../../kit/json/canonical-json.ts";
import type { OwnerLife } from "../../../storage/owner-life.ts";
import { openText, sealText } from "../../../storage/sealed-text.ts";
import { untilStored } from "../../../storage/until-stored.ts";
import { operatorTenant as tenant } from "../operator-tenant.ts";
import type { PausedRuns } from "../paused-runs/paused-runs.ts";
import {
  type AnswerReading,
  answerOfDone,
  answerOfFailure,
  type CallerAnswer,
  storedEvents,
  withAnswer,
} from "./caller-answer.ts";
import { endCallerRun, leaveCallerRun, runOfKey, storeCallerRun } from "./caller-run-store.ts";
import type { DurableRuns, KeepSteps } from "./durable-runs.ts";
import { LiveRun } from "./live-run.ts";
import type { CallerRunRow } from "./schema.ts";
import type { OpenSteps, StepPorts } from "./step-writer.ts";

/*
 * Runs of the daemon's own callers that outlive their process.
 *
 * With a key, a run has a row before it begins. It goes on without its caller, who waits for its answer when the request is repeated. With a
 * session alone, it has a row from its first stored step, and its caller's leaving ends it.
 *
 * A row whose process is dead is claimed by another one, which continues the run; see `RunContinuation`. Only the process that has the row
 * may end it, in the commit that deletes the steps.
 */

/** How often a repeated request looks for the answer of a run on another process. */
const lookAgainMs = 500;

export interface CallerRunPorts extends StepPorts {
  durable: DurableRuns;
  life: OwnerLife;
  approvals: PausedRuns | undefined;
  usage: RunPorts["usage"];
  newId: NewId;
  /** False if no process continues the runs of another one. */
  isDurable: boolean;
}

/** A run as its caller asked for it. */
export interface CallerRun extends AnswerReading {
  /** Undefined for a run with a session alone. */
  key: RunKeyOfCaller | undefined;
  agent: string;
  sessionId: string;
  /** Data by which another process performs it; undefined if none can. */
  request: (() => object) | undefined;
  /** The caller's signal. It ends the reading of a run with a key, and the run of one without. */
  signal: () => AbortSignal;
}

export interface RunKeyOfCaller {
  name: string;
  /** What the caller asked. Undefined for a key that is made for one request only, whose signal ends the run. */
  asked: (() => object) | undefined;
  /** Called before the first event if the run was begun by another request. */
  replayed?: (() => void) | undefined;
}

/** How a run is kept while it is performed. */
export interface KeptRun {
  /** Undefined if its steps are not kept. */
  keep: KeepSteps | undefined;
  /** Id under which its steps are stored. */
  id: string;
  /** True if another node performs the run and stores its steps. */
  isElsewhere?: boolean;
}

/** Performs a run. `isDetached`: it doesn't end when its caller leaves, who may come back with the key. */
export type PerformKept = (kept: KeptRun, isDetached: boolean) => AsyncGenerator<RunEvent, void>;

export class CallerRuns {
  readonly ports: CallerRunPorts;
  /** Runs that this process performs, by id. */
  readonly #live = new Map<string, { run: LiveRun; ended: Promise<void> }>();

  constructor(ports: CallerRunPorts) {
    this.ports = ports;
  }

  /** Performs a run so that it outlives this process, or yields the events of the run that has its key. */
  events(asked: CallerRun, perform: PerformKept): AsyncGenerator<RunEvent, void> {
    return asked.key === undefined ? this.#ofSession(asked, perform) : this.#ofKey(asked, asked.key, perform);
  }

  /** Yields the events of a run that this process has claimed, and stores its end. */
  continue(row: CallerRunRow, begin: (kept: KeptRun) => AsyncGenerator<RunEvent, void>): Promise<void> {
    const { durable, usage } = this.ports;
    const keep: KeepSteps = (fingerprint) => durable.goOn({ tenant, runId: row.id }, row, fingerprint, usage);
    return this.#perform(row, begin, { keep, id: row.id }, true).ended;
  }

  /** Stores the end of a run that this process has claimed and does not continue. */
  end(row: CallerRunRow, thrown: unknown): Promise<boolean> {
    return this.#end(row, row.key === null ? undefined : answerOfFailure(thrown));
  }

  /** Opens what a row keeps. */
  requestOf(row: CallerRunRow): object | undefined {
    return row.request === "" ? undefined : JSON.parse(this.#open(row.id, "request", row.request));
  }

  has(id: string): boolean {
    return this.#live.has(id);
  }

  /** Resolves when no run with a key is performed any more. */
  async ended(): Promise<void> {
    await Promise.all([...this.#live.values()].map(({ ended }) => ended));
  }

  /** Tells the other processes that this one has ended. */
  async close(): Promise<void> {
    await this.ports.life.end().catch((err) => this.ports.log.warn("daemon.owner_kept", { err }));
  }

  async *#ofSession(asked: CallerRun, perform: PerformKept): AsyncGenerator<RunEvent, void> {
    const { durable, life, isDurable, newId } = this.ports;
    const { request } = asked;
    // Other processes would take it for left.
    if (!isDurable || request === undefined || !life.isHeld())
      return yield* perform({ keep: undefined, id: "" }, false);
    const id = newId();
    let steps: OpenSteps | undefined;
    const keep: KeepSteps = (fingerprint) => {
      steps = durable.begin({ tenant, runId: id }, fingerprint, {
        row: () => this.#row(id, asked, null, ""),
      });
      return steps;
    };
    let isOver = true;
    try {
      yield* perform({ keep, id: "" }, false);
    } catch (thrown) {
      isOver = !this.ports.stopping.aborted && !isMoved(thrown);
      throw thrown;
    } finally {
      if (steps?.isKept) await this.#leaveOrEnd({ id }, isOver);
    }
  }

  async #leaveOrEnd(row: Pick<CallerRunRow, "id">, isOver: boolean): Promise<void> {
    const { log } = this.ports;
    const write = isOver ? this.#end(row, undefined) : this.#leave(row);
    await write.catch((err) => log.warn("run.end_not_stored", { err }));
  }

  async *#ofKey(
    asked: CallerRun,
    { name, asked: identity, replayed }: RunKeyOfCaller,
    perform: PerformKept,
  ): AsyncGenerator<RunEvent, void> {
    const { life, storage, newId } = this.ports;
    const key = credentialDigest(name);
    const hash = identity === undefined ? "" : credentialDigest(canonicalJson(identity()));
    await life.ensure();
    for (;;) {
      let row = await runOfKey(storage, tenant, key);
      const known = row?.id;
      if (row === undefined) {
        const id = newId();
        const own = this.#row(id, asked, key, hash);
        if (!(await storeCallerRun(storage, own))) continue;
        const { durable, isDurable } = this.ports;
        const keep: KeepSteps | undefined =
          isDurable && asked.request !== undefined
            ? (fingerprint) => durable.begin({ tenant, runId: id }, fingerprint)
            : undefined;
        this.#perform(
          own,
          (kept) => perform(kept, identity !== undefined),
          { keep, id: keep === undefined ? "" : id },
          false,
        );
        row = own;
      } else {
        if (row.requestHash !== hash) throw keyReused();
        replayed?.();
      }
      const { run } = this.#live.get(row.id) ?? {};
      const events = run?.read(asked.signal());
      if (events !== undefined && (yield* known === undefined ? events : withAnswer(events, asked))) return;
      const answer = await this.#answer(key, row, asked.signal());
      if (answer !== undefined) return yield* storedEvents(this.ports.approvals, tenant, answer, asked);
      // The run did not begin, so this request may.
      if (known === undefined) throw notBegun();
    }
  }

  /** Waits for the answer of a run that another process performs; undefined if its key has become free. */
  async #answer(key: string, { id }: CallerRunRow, signal: AbortSignal): Promise<CallerAnswer | undefined> {
    for (;;) {
      const row = await runOfKey(this.ports.storage, tenant, key);
      if (row?.id !== id) return undefined;
      if (row.answer !== null) return JSON.parse(this.#open(id, "answer", row.answer));
      await sleep(this.ports.clock, lookAgainMs, signal);
    }
  }

  /** Performs a run to its end, whoever reads it. */
  #perform(
    row: Pick<CallerRunRow, "id" | "key">,
    begin: (kept: KeptRun) => AsyncGenerator<RunEvent, void>,
    kept: KeptRun,
    isContinued: boolean,
  ) {
    const run = new LiveRun();
    const ended = this.#drive(row, run, begin, kept, isContinued)
      .catch((thrown: unknown) => {
        this.ports.log.error("run.end_not_stored", { err: thrown });
        run.end({ kind: "failed", thrown });
      })
      .finally(() => this.#live.delete(row.id));
    const performed = { run, ended };
    this.#live.set(row.id, performed);
    return performed;
  }

  async #drive(
    row: Pick<CallerRunRow, "id" | "key">,
    run: LiveRun,
    begin: (kept: KeptRun) => AsyncGenerator<RunEvent, void>,
    kept: KeptRun,
    isContinued: boolean,
  ): Promise<void> {
    let hasBegun = isContinued;
    let last: Extract<RunEvent, { type: "done" }> | undefined;
    let failure: { thrown: unknown } | undefined;
    try {
      for await (const event of begin(kept)) {
        hasBegun = true;
        if (event.type === "done") last = event;
        else run.add(event);
      }
    } catch (thrown) {
      failure = { thrown };
    }
    if (last === undefined && failure === undefined) failure = { thrown: new Error("The run has no end.") };
    if (last === undefined && this.ports.stopping.aborted) {
      await this.#leave(row);
      return run.end({ kind: "failed", ...(failure ?? { thrown: undefined }) });
    }
    if (failure !== undefined && isMoved(failure.thrown, kept)) {
      await this.#leave(row);
      return run.end({ kind: "moved" });
    }
    const answer = last === undefined ? answerOfFailure(failure?.thrown) : answerOfDone(last);
    // A run that failed before its first event frees its key: nothing was answered, and no tool was called. One that waits has not failed.
    const isStored = row.key !== null && (hasBegun || "awaits" in answer);
    if (!(await this.#end(row, isStored ? answer : undefined))) return run.end({ kind: "moved" });
    if (last !== undefined) run.add(last);
    run.end(failure === undefined ? { kind: "done" } : { kind: "failed", ...failure });
  }

  #end({ id }: Pick<CallerRunRow, "id">, answer: CallerAnswer | undefined): Promise<boolean> {
    const { storage, life, clock, stopping } = this.ports;
    const text = answer && this.#seal(id, "answer", answer);
    return untilStored(clock, stopping, () => endCallerRun(storage, { tenant, id }, life.owner, text));
  }

  #leave({ id }: Pick<CallerRunRow, "id">): Promise<void> {
    const { storage, life } = this.ports;
    return leaveCallerRun(storage, { tenant, id }, life.owner);
  }

  #row(id: string, asked: CallerRun, key: string | null, requestHash: string): CallerRunRow {
    const { clock, life, isDurable } = this.ports;
    const { agent, sessionId, request } = asked;
    return {
      tenant,
      id,
      key,
      requestHash,
      agent,
      sessionId,
      status: "in_progress",
      request: isDurable && request !== undefined ? this.#seal(id, "request", request()) : "",
      answer: null,
      createdAt: clock.now(),
      owner: life.owner,
    };
  }

  #seal(id: string, part: string, value: object): string {
    return sealText(this.ports.sealer, JSON.stringify(value), contextOf(id, part));
  }

  #open(id: string, part: string, text: string): string {
    return openText(this.ports.sealer, text, contextOf(id, part));
  }
}

const contextOf = (id: string, part: string) => ({ purpose: "caller run", tenant, name: `${id} ${part}` });

/** Returns true if another process performs the run, or may continue it from the steps of a node that was lost. */
function isMoved(thrown: unknown, kept?: KeptRun): boolean {
  const { code } = toAppError(thrown);
  return code === "run_taken_over" || (code === "node_lost" && kept?.isElsewhere === true);
}

const keyReused = () =>
  new AppError(
    "unprocessable",
    "idempotency_key_reused",
    "This Idempotency-Key was used for another request. Choose a new key for each run.",
  );

const notBegun = () =>
  new AppError("unavailable", "run_not_begun", "The run did not begin.", {
    details: { hint: "Send the request again with the same Idempotency-Key.", retryAfterSeconds: 1 },
  });
