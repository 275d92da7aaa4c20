import type { AppError } from "./app-error.ts";
import type { Clock } from "./clock.ts";
import { type AbortListener, listenTo, stopListening, ToldController } from "./concurrency/on-abort.ts";

export interface Deadline {
  /**
   * Aborts with the deadline's reason when the time is up, or with a parent's reason if a parent aborts first. It is created when it is
   * first read, because much work never looks at it.
   */
  readonly signal: AbortSignal;
  /** True if the time ran out, as opposed to a parent's abort. */
  readonly expired: boolean;
  /** As `untilAborted` for the signal, without creating it. */
  race<T>(work: () => T | Promise<T>): Promise<T>;
  /** Aborts the signal now, as a parent would. Does nothing if the signal has aborted. */
  abort(reason: unknown): void;
  /** Moves the deadline to `ms` from now, `Infinity` for never. Does nothing if the signal has aborted. */
  restart(ms: number, reason: () => AppError): void;
  /** Forgets the timer and the parents. Callers must call it when the work has ended, with or without an error. */
  dispose(): void;
}

/** Starts a deadline of `ms`, `Infinity` for none. `reason` is called only if the deadline passes. */
export function startDeadline(
  clock: Clock,
  ms: number,
  reason: () => AppError,
  parents: readonly AbortSignal[] = noParents,
): Deadline {
  return new RunningDeadline(clock, ms, reason, parents);
}

const noParents: readonly AbortSignal[] = [];

/** A class, because every run and every tool call has one: closures for each would cost more than all they do. */
class RunningDeadline implements Deadline, AbortListener {
  readonly #clock: Clock;
  readonly #parents: readonly AbortSignal[];
  #cancelTimer: (() => void) | undefined;
  #controller: ToldController | undefined;
  #expired = false;
  #hasEnded = false;
  #endReason: unknown;
  /** Work in races with the end. */
  #racing: Set<(reason: unknown) => void> | undefined;

  constructor(clock: Clock, ms: number, reason: () => AppError, parents: readonly AbortSignal[]) {
    this.#clock = clock;
    this.#parents = parents;
    this.#setTimer(ms, reason);
    for (const parent of parents) listenTo(parent, this);
    for (const parent of parents) if (parent.aborted) this.abort(parent.reason);
  }

  get signal(): AbortSignal {
    this.#controller ??= new ToldController();
    if (this.#hasEnded) this.#controller.abort(this.#endReason);
    return this.#controller.signal;
  }

  get expired(): boolean {
    return this.#expired;
  }

  race<T>(work: () => T | Promise<T>): Promise<T> {
    // An exception thrown in here rejects the promise.
    return new Promise((resolve, reject) => {
      if (this.#hasEnded) throw this.signal.reason;
      const racing = this.#racing ?? new Set();
      this.#racing = racing;
      racing.add(reject);
      const settled = (outcome: T) => {
        racing.delete(reject);
        resolve(outcome);
      };
      const failed = (thrown: unknown) => {
        racing.delete(reject);
        reject(thrown);
      };
      try {
        Promise.resolve(work()).then(settled, failed);
      } catch (thrown) {
        failed(thrown);
      }
    });
  }

  signalAborted(parent: AbortSignal): void {
    this.abort(parent.reason);
  }

  abort(reason: unknown): void {
    this.dispose();
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#endReason = reason;
    this.#controller?.abort(reason);
    if (this.#racing === undefined) return;
    for (const stop of this.#racing) stop(this.signal.reason);
  }

  restart(ms: number, reason: () => AppError): void {
    if (!this.#hasEnded) this.#setTimer(ms, reason);
  }

  dispose(): void {
    this.#cancelTimer?.();
    for (const parent of this.#parents) stopListening(parent, this);
  }

  #setTimer(ms: number, reason: () => AppError): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (ms === Number.POSITIVE_INFINITY) return;
    this.#cancelTimer = this.#clock.timer(ms, () => {
      this.#expired = true;
      this.abort(reason());
    });
  }
}
