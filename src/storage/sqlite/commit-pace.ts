import type { Clock } from "../../kit/clock.ts";

/** Jobs that may come at once, beyond those that come steadily, before there are many. */
const burstMax = 32;
/** Time between two jobs from which on there are not many. */
const jobEveryMs = 6;
/** Time between two commits for background work while there are many jobs. */
const apartMs = 10;

/**
 * Says how long background work waits for others to share its commit. A commit costs the disk and the processor nearly the same for one job
 * as for several, and requests wait behind it. While jobs are few, there is no wait; while more than about 160 a second come, a commit that
 * only background work needs begins 10 ms after the last one.
 */
export class CommitPace {
  readonly #clock: Pick<Clock, "monotonicMs">;
  #begunAtMs = Number.NEGATIVE_INFINITY;
  #cameAtMs = 0;
  /** Jobs beyond the steady ones that may still come; less than 1 while there are many. */
  #room = burstMax;

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** Counts a job. */
  came(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#room = Math.max(-burstMax, this.#roomAt(nowMs) - 1);
    this.#cameAtMs = nowMs;
  }

  /** A commit begins now. */
  begun(): void {
    this.#begunAtMs = this.#clock.monotonicMs();
  }

  /** Returns how long background work waits from now on; 0 or less if it begins now. */
  waitMs(): number {
    const nowMs = this.#clock.monotonicMs();
    return this.#roomAt(nowMs) >= 1 ? 0 : this.#begunAtMs + apartMs - nowMs;
  }

  #roomAt(nowMs: number): number {
    return Math.min(burstMax, this.#room + (nowMs - this.#cameAtMs) / jobEveryMs);
  }
}
