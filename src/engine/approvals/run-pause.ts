import type { Clock } from "../../kit/clock.ts";
import { untilAborted } from "../../kit/concurrency/until-aborted.ts";
import type { PendingCall, RequestedBy } from "../run-state/interceptor.ts";
import { runWaits, wentAnotherWay } from "./run-waits.ts";

/** Time a resumed run may wait at a request that is not in its journal before it reaches the decided call. */
const patienceMs = 30_000;

/**
 * The pause of a run. States:
 * - `playing`: the run has not reached the decided call; a request that is not in the journal waits.
 * - `open`: requests are made and every answer is kept.
 * - `draining`: a call waits for a decision; work in progress ends, and no new work starts.
 * - `paused`: the run has been stopped.
 */
export class RunPause {
  /** Aborts with AppError `approval_required` or `tool_result_required` once all work in progress has ended. */
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #opened = Promise.withResolvers<void>();
  #state: "playing" | "open" | "draining" | "paused";
  #pending: { by: RequestedBy; call: PendingCall } | undefined;
  #underWay = 0;
  /** True while a request waits until the run reaches the decided call. */
  #isAwaited = false;
  #endPatience = () => {};

  constructor(clock: Clock, isResumed: boolean) {
    this.#clock = clock;
    this.signal = this.#controller.signal;
    this.#state = isResumed ? "playing" : "open";
  }

  get isPlaying(): boolean {
    return this.#state === "playing";
  }

  /** The call that the run waits for; undefined unless the run has paused. */
  get waiting(): { by: RequestedBy; call: PendingCall } | undefined {
    return this.#state === "paused" ? this.#pending : undefined;
  }

  /** Must be called when the run has ended. */
  dispose(): void {
    this.#endPatience();
  }

  /** Stops the run for this reason. */
  stop(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** Waits until the run may make a request that is not in the journal. Call `end` after it. */
  async begin(signal: AbortSignal): Promise<void> {
    if (this.isPlaying) await this.#untilOpen(signal);
    // If the run is draining, this request waits until the run is stopped.
    if (this.#state !== "open") await untilAborted(signal, () => new Promise<never>(() => {}));
    this.#underWay++;
  }

  end(): void {
    this.#underWay--;
    this.#pauseWhenIdle();
  }

  /** Pauses the run for a call, once the work in progress has ended. */
  async pauseFor(by: RequestedBy, call: PendingCall, signal: AbortSignal): Promise<never> {
    if (this.isPlaying) await this.#untilOpen(signal);
    this.#drainFor(by, call);
    return untilAborted(signal, () => new Promise<never>(() => {}));
  }

  /** The run reached the decided call. */
  open(): void {
    this.#endPatience();
    this.#state = "open";
    this.#opened.resolve();
  }

  /** The run took an entry of its journal, so it is on its way to the decided call. */
  advance(): void {
    if (this.isPlaying && this.#isAwaited) this.#beginPatience();
  }

  async #untilOpen(signal: AbortSignal): Promise<void> {
    this.#isAwaited = true;
    this.#beginPatience();
    await untilAborted(signal, () => this.#opened.promise);
  }

  /**
   * An unchanged run finds all its requests in the journal and reaches the decided call. If that takes longer than `patienceMs`, it fails.
   */
  #beginPatience(): void {
    this.#endPatience();
    this.#endPatience = this.#clock.timer(patienceMs, () => this.stop(wentAnotherWay()));
  }

  /** The other calls of the same turn start first. */
  #drainFor(by: RequestedBy, call: PendingCall): void {
    if (this.#pending !== undefined) return;
    this.#pending = { by, call };
    setImmediate(() => {
      this.#state = "draining";
      this.#pauseWhenIdle();
    });
  }

  #pauseWhenIdle(): void {
    if (this.#state !== "draining" || this.#underWay > 0 || this.#pending === undefined) return;
    this.#state = "paused";
    this.stop(runWaits(this.#pending.call));
  }
}
