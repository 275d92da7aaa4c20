import { type Clock, sleep } from "./clock.ts";
import type { Logger } from "./log.ts";
import { type Random, retryDelayMs, withJitter } from "./retry.ts";

/** A background loop. */
export interface Worker {
  readonly name: string;
  /** Longest time between two beats of a worker with rounds. After a longer silence, it counts as stuck. */
  readonly silenceMaxMs?: number;
  /**
   * Works until the signal aborts, then finishes its current work and resolves. A worker with rounds calls `beat` after each that succeeded.
   * It rejects if the storage fails, and must then end within a second, so that it is restarted.
   */
  run(signal: AbortSignal, beat?: () => void): Promise<void>;
}

/** Longest time that a round may take before its worker counts as stuck. */
export const roundMaxMs = 10 * 60_000;

/**
 * Creates a worker that runs `work` at the start, or `afterMs` after it, and then every `everyMs`. After a failure, it does so at once.
 * Several processes may do so at the same time. `roundMs`: the longest time that one round may take.
 */
export const repeatedWorker = (
  name: string,
  everyMs: number,
  clock: Clock,
  work: (signal: AbortSignal) => Promise<unknown>,
  { afterMs = 0, roundMs = roundMaxMs }: { afterMs?: number; roundMs?: number } = {},
): Worker => {
  let waitMs = afterMs;
  return {
    name,
    silenceMaxMs: Math.max(everyMs, afterMs) + roundMs,
    async run(signal, beat) {
      if (waitMs > 0) await sleep(clock, waitMs, signal).catch(() => undefined);
      while (!signal.aborted) {
        waitMs = 0;
        await work(signal);
        beat?.();
        await sleep(clock, everyMs, signal).catch(() => undefined);
      }
      waitMs = afterMs;
    },
  };
};

/**
 * `waiting`: the worker ended before it was stopped and will be restarted. `stuck`: it runs, but has ended no round for longer than its
 * rounds may take.
 */
export type WorkerStatus = "idle" | "running" | "stuck" | "waiting" | "stopped";

export interface WorkerState {
  name: string;
  status: WorkerStatus;
  /** Number of times it ended before it was stopped. */
  failures: number;
  /** Start of the running attempt, or of the last one. */
  startedAt?: Date;
  /** End of the last round, for workers that work in rounds. */
  lastRoundAt?: Date;
  lastFailure?: { at: Date; message: string };
}

export interface WorkerGroupDeps {
  clock: Clock;
  random: Random;
  log: Logger;
}

/** Runs background loops: starts them in order, stops them in reverse, and restarts with back-off one that ends by itself. */
export class WorkerGroup {
  readonly #loops: Loop[];
  readonly #deps: WorkerGroupDeps;

  constructor(workers: readonly Worker[], deps: WorkerGroupDeps) {
    this.#loops = workers.map((worker) => new Loop(worker, deps));
    this.#deps = deps;
  }

  start(): void {
    for (const loop of this.#loops) loop.start();
  }

  /**
   * Stops the workers one after the other, the last started first. After `deadlineMs`, it signals all remaining workers at once and
   * abandons those that do not stop. The promise always resolves.
   */
  async stop(deadlineMs: number): Promise<void> {
    const { clock, log } = this.#deps;
    const timeUp = Promise.withResolvers<void>();
    const cancelTimer = clock.timer(deadlineMs, timeUp.resolve);
    for (const loop of this.#loops.toReversed()) await Promise.race([loop.stop(), timeUp.promise]);
    cancelTimer();
    if (this.#loops.every((loop) => loop.stopped)) return;
    // The workers signalled last may need one turn of the event loop.
    await sleep(clock, 0);
    const abandoned = this.#loops.filter((loop) => !loop.stopped).map((loop) => loop.state().name);
    if (abandoned.length > 0) log.error("worker.abandoned", { workers: abandoned });
  }

  /** Returns the states that readiness checks, in order of start. */
  states(): WorkerState[] {
    return this.#loops.map((loop) => loop.state());
  }
}

/** Short, because a database that is back after an outage of any length should be noticed within seconds. */
const restartDelaysMs = [500, 1_000, 1_500];

/** The same failure is logged again after this time. */
const logAgainMs = 60_000;

/** A run of this length counts as recovery: the next failure waits for the shortest delay again. */
const healthyMs = 60_000;

/** The lifecycle of one worker. */
class Loop {
  readonly #worker: Worker;
  readonly #deps: WorkerGroupDeps;
  readonly #controller = new AbortController();
  #status: WorkerStatus = "idle";
  #failures = 0;
  #startedAt: Date | undefined;
  /** Of the last start or beat. */
  #heardMs = 0;
  #loggedMs = 0;
  #lastRoundAt: Date | undefined;
  #lastFailure: WorkerState["lastFailure"];
  #finished: Promise<void> = Promise.resolve();

  constructor(worker: Worker, deps: WorkerGroupDeps) {
    this.#worker = worker;
    this.#deps = deps;
  }

  state(): WorkerState {
    return {
      name: this.#worker.name,
      status: this.#isStuck() ? "stuck" : this.#status,
      failures: this.#failures,
      ...(this.#startedAt && { startedAt: this.#startedAt }),
      ...(this.#lastRoundAt && { lastRoundAt: this.#lastRoundAt }),
      ...(this.#lastFailure && { lastFailure: this.#lastFailure }),
    };
  }

  #isStuck(): boolean {
    const { silenceMaxMs } = this.#worker;
    if (this.#status !== "running" || silenceMaxMs === undefined) return false;
    return this.#deps.clock.monotonicMs() - this.#heardMs > silenceMaxMs;
  }

  start(): void {
    if (this.#status === "idle") this.#finished = this.#repeat();
  }

  get stopped(): boolean {
    return this.#status === "stopped";
  }

  async stop(): Promise<void> {
    this.#controller.abort();
    await this.#finished;
    this.#status = "stopped";
  }

  async #repeat(): Promise<void> {
    const { clock, random } = this.#deps;
    const { signal } = this.#controller;
    for (let failuresInRow = 1; !signal.aborted; failuresInRow++) {
      const startedMs = clock.monotonicMs();
      await this.#runOnce(signal);
      if (signal.aborted) break;
      if (clock.monotonicMs() - startedMs >= healthyMs) failuresInRow = 1;
      this.#status = "waiting";
      await sleep(clock, withJitter(retryDelayMs(restartDelaysMs, failuresInRow), random), signal).catch(
        () => undefined,
      );
    }
  }

  async #runOnce(signal: AbortSignal): Promise<void> {
    const { log, clock } = this.#deps;
    const worker = this.#worker.name;
    this.#status = "running";
    this.#startedAt = clock.now();
    this.#heardMs = clock.monotonicMs();
    try {
      await this.#worker.run(signal, () => {
        this.#lastRoundAt = clock.now();
        this.#heardMs = clock.monotonicMs();
      });
      if (signal.aborted) return;
      this.#note("It ended by itself.", () => log.error("worker.returned", { worker }));
    } catch (thrown) {
      // After the abort, a worker may throw the signal's reason.
      if (signal.aborted && thrown === signal.reason) return;
      this.#note(messageOf(thrown), () => log.error("worker.failed", { worker, err: thrown }));
    }
    if (!signal.aborted) this.#failures++;
  }

  /** Records a failure, and logs it unless it is the one that was logged a short time ago. */
  #note(message: string, write: () => void): void {
    const { clock } = this.#deps;
    const isNews = this.#lastFailure?.message !== message;
    this.#lastFailure = { at: clock.now(), message };
    if (!isNews && clock.monotonicMs() - this.#loggedMs < logAgainMs) return;
    this.#loggedMs = clock.monotonicMs();
    write();
  }
}

const messageCharsMax = 500;

const messageOf = (thrown: unknown): string =>
  (thrown instanceof Error ? thrown.message : String(thrown)).slice(0, messageCharsMax);
