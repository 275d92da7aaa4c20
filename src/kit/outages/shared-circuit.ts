import type { Clock } from "../clock.ts";
import { LatestMap } from "../latest-map.ts";
import { admits, type Circuit, type CircuitSettings, closedCircuit, step } from "./circuit-breaker.ts";

/*
 * The circuits of one server that several owners share, one for each owner. An owner is the person or paying party behind tenants, orgs and
 * keys. So whatever one owner provokes shuts out that owner alone, and every other owner finds out by calls of its own.
 *
 * What the owners see is weighed together: the server is suspected while failures were seen by more owners than successes were in the last
 * minute, by two owners at least. An owner whose calls have not succeeded lately is then shut out by its first failure instead of
 * its third. Failures that no request can cause raise the suspicion even if a single owner sees them. The success that ends a suspicion lets
 * every owner that is shut out probe at once.
 */

/** How an admitted call ended: `doubtful` if its caller may have caused the failure, `released` if it says nothing about the server. */
export type CallEnding = "succeeded" | "failed" | "doubtful" | "released";

/** Reports the end of an admitted call; only the first report counts. */
export type EndReport<Why> = (ending: CallEnding, why?: Why) => void;

/** What one owner has seen of the server. */
export interface OwnerView<Why> {
  circuit: Circuit;
  /** Failures in a row. */
  failures: number;
  /** Those among them that no request can cause. */
  certain: number;
  /** Time of the latest verdict, and of the latest success. */
  heardAtMs: number;
  workedAtMs: number;
  openedAt?: Date | undefined;
  lastFailure?: { why: Why; at: Date } | undefined;
}

/** Verdicts and successes older than this are not weighed any more. */
const recentMs = 60_000;
/** Owners of which something is known; those that were heard of longest ago are forgotten. */
const ownersMax = 10_000;

export class SharedCircuit<Why = never> {
  readonly #clock: Clock;
  readonly #settings: CircuitSettings;
  /** In the order of their latest verdicts. */
  readonly #owners = new LatestMap<string, OwnerView<Why>>(ownersMax);
  #isSuspected = false;

  constructor(clock: Clock, settings: CircuitSettings) {
    this.#clock = clock;
    this.#settings = settings;
  }

  /** Admits a call of an owner and returns the function that reports its end; undefined while the owner is shut out. */
  enter(owner: string): EndReport<Why> | undefined {
    const nowMs = this.#clock.monotonicMs();
    const view = this.view(owner);
    if (!admits(view.circuit, nowMs)) return undefined;
    view.circuit = step(view.circuit, { type: "asked" }, nowMs, this.#settings);
    const { epoch } = view.circuit;
    let isOver = false;
    return (ending, why) => {
      if (isOver) return;
      isOver = true;
      if (epoch === view.circuit.epoch) this.#end(owner, view, ending, why);
    };
  }

  /** What the owner has seen; of one that is unknown, nothing. */
  view(owner: string): OwnerView<Why> {
    const known = this.#owners.get(owner);
    if (known !== undefined) return known;
    const never = Number.NEGATIVE_INFINITY;
    const view = { circuit: closedCircuit, failures: 0, certain: 0, heardAtMs: never, workedAtMs: never };
    this.#owners.set(owner, view);
    return view;
  }

  /** Milliseconds until the owner's next call passes as a probe; 0 if a call may pass or a probe is running. */
  probeDueInMs(owner: string): number {
    const { circuit } = this.view(owner);
    return circuit.phase === "open" ? Math.max(0, circuit.probeDueAtMs - this.#clock.monotonicMs()) : 0;
  }

  /** True while more owners see the server fail than work. */
  isSuspected(): boolean {
    if (this.#isSuspected) this.#isSuspected = this.#judge(this.#clock.monotonicMs());
    return this.#isSuspected;
  }

  /** The latest failure that any owner has seen. */
  lastFailure(): OwnerView<Why>["lastFailure"] {
    const seen = [...this.#owners.values()].flatMap(({ lastFailure }) => lastFailure ?? []);
    return seen.toSorted((a, b) => b.at.getTime() - a.at.getTime())[0];
  }

  #end(owner: string, view: OwnerView<Why>, ending: CallEnding, why: Why | undefined): void {
    const nowMs = this.#clock.monotonicMs();
    const settings = this.#settings;
    const { epoch } = view.circuit;
    if (ending === "released") {
      view.circuit = step(view.circuit, { type: ending, epoch }, nowMs, settings);
      return;
    }
    this.#owners.delete(owner);
    this.#owners.set(owner, view);
    view.heardAtMs = nowMs;
    if (ending === "succeeded") {
      Object.assign(view, { failures: 0, certain: 0, workedAtMs: nowMs });
      view.circuit = step(view.circuit, { type: ending, epoch }, nowMs, settings);
      view.openedAt = undefined;
      if (this.#isSuspected && !this.isSuspected()) this.#letAllProbe(nowMs);
      return;
    }
    view.failures++;
    if (ending === "failed") view.certain++;
    if (why !== undefined) view.lastFailure = { why, at: this.#clock.now() };
    this.#isSuspected = this.#judge(nowMs);
    const isQuick = this.#isSuspected && nowMs - view.workedAtMs > recentMs;
    const failureThreshold = isQuick ? 1 : settings.failureThreshold;
    view.circuit = step(view.circuit, { type: "failed", epoch }, nowMs, { ...settings, failureThreshold });
    if (view.circuit.phase !== "closed") view.openedAt ??= this.#clock.now();
  }

  #judge(nowMs: number): boolean {
    let [failing, working, failures, certain] = [0, 0, 0, 0];
    for (const view of this.#owners.values()) {
      if (nowMs - view.heardAtMs > recentMs) continue;
      if (view.failures === 0) {
        working++;
        continue;
      }
      failing++;
      failures += view.failures;
      certain += view.certain;
    }
    const { failureThreshold } = this.#settings;
    if (failures < failureThreshold || failing <= working) return false;
    return failing > 1 || certain >= failureThreshold;
  }

  #letAllProbe(nowMs: number): void {
    for (const view of this.#owners.values()) {
      if (view.circuit.phase === "open") view.circuit = { ...view.circuit, probeDueAtMs: nowMs };
    }
  }
}
