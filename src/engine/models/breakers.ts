import {
  admits,
  type Circuit,
  type CircuitEnd,
  type CircuitSettings,
  closedCircuit,
  defaultCircuitSettings,
  step,
} from "../../kit/circuit-breaker.ts";
import type { Clock } from "../../kit/clock.ts";

/** What shares a circuit: one provider at one address, called on one account. */
export interface BreakerKey {
  provider: string;
  endpoint?: string | undefined;
  /** Whose key and address it is when not the operator's: one tenant's bad key closes nobody else's way. */
  account?: string | undefined;
}

/** healthy: closed; degraded: failures in a row that do not open it yet, or a failed probe; unavailable: open or on probation. */
export type ProviderHealth = "healthy" | "degraded" | "unavailable";

/**
 * How an admitted call ended; `doubtful` when its caller may have led to the failure, `released` when it says nothing about the
 * provider. `judgeCall` decides.
 */
export type CallEnding = "succeeded" | "failed" | "doubtful" | "released";

/** Reports the end of an admitted call; only the first report counts. `by` names one caller among those that share a provider. */
export type CallReport = (ending: CallEnding, why?: Mishap, by?: string) => void;

/** What went wrong, in words that may be shown. */
export interface Mishap {
  code: string;
  message: string;
}

/** A breaker as operators see it. */
export interface BreakerState {
  health: ProviderHealth;
  phase: Circuit["phase"];
  /** In a row, while it is closed. */
  failures: number;
  /** Since when it isn't closed. */
  openedAt?: Date;
  /** Of the failures that count, since the process began. */
  lastFailure?: Mishap & { at: Date };
  /** What the last probe found, or a call that came through since; undefined before the first. */
  reachable?: boolean;
  probeFault?: Mishap;
}

export interface Breaker {
  /** Admits a call and returns how to report its end; undefined when the circuit lets nobody pass now. */
  enter(): CallReport | undefined;
  health(): ProviderHealth;
  state(): BreakerState;
  /** Milliseconds until an open circuit lets a probe pass; 0 when a call may pass or a probe is under way. */
  probeDueInMs(): number;
  /** Records what a reachability check found; it colours the health and never opens or closes the circuit. */
  recordProbe(reachable: boolean, why?: Mishap): void;
}

/** The breakers of one process. */
export interface Breakers {
  /** The one breaker of `key`, made on first use. */
  of(key: BreakerKey): Breaker;
  /** Every breaker used so far with its health, in order of first use. */
  list(): (BreakerKey & { health: ProviderHealth; breaker: Breaker })[];
}

/** Breakers that live as long as the process; nothing of them is stored. */
export function createBreakers(clock: Clock, settings: CircuitSettings = defaultCircuitSettings): Breakers {
  const breakers = new Map<string, { key: BreakerKey; breaker: Breaker }>();
  return {
    of(key) {
      const id = JSON.stringify([key.provider, key.endpoint, key.account]);
      let entry = breakers.get(id);
      if (!entry) {
        const { provider, endpoint, account } = key;
        entry = { key: { provider, endpoint, account }, breaker: createBreaker(clock, settings) };
        breakers.set(id, entry);
      }
      return entry.breaker;
    },
    list: () =>
      Array.from(breakers.values(), ({ key, breaker }) => ({ ...key, health: breaker.health(), breaker })),
  };
}

function createBreaker(clock: Clock, settings: CircuitSettings): Breaker {
  let circuit: Circuit = closedCircuit;
  let openedAt: Date | undefined;
  let lastFailure: BreakerState["lastFailure"];
  let reachable: boolean | undefined;
  let probeFault: Mishap | undefined;
  const report = (event: CircuitEnd, why: Mishap | undefined) => {
    if (event.type === "succeeded" && reachable === false) [reachable, probeFault] = [true, undefined];
    if (event.type === "failed" && why !== undefined) lastFailure = { ...why, at: clock.now() };
    circuit = step(circuit, event, clock.monotonicMs(), settings);
    if (circuit.phase === "closed") openedAt = undefined;
    else openedAt ??= clock.now();
  };
  const health = (): ProviderHealth => {
    if (circuit.phase !== "closed") return "unavailable";
    return circuit.failures > 0 || reachable === false ? "degraded" : "healthy";
  };
  return {
    enter() {
      const nowMs = clock.monotonicMs();
      if (!admits(circuit, nowMs)) return undefined;
      circuit = step(circuit, { type: "asked" }, nowMs, settings);
      const epoch = circuit.epoch;
      let reported = false;
      return (ending, why, by) => {
        if (reported) return;
        reported = true;
        if (ending !== "doubtful") report({ type: ending, epoch }, why);
        // Where nobody shares the provider, a doubt is the caller's own and a failure.
        else report(by === undefined ? { type: "failed", epoch } : { type: "doubtful", by, epoch }, why);
      };
    },
    health,
    state: () => ({
      health: health(),
      phase: circuit.phase,
      failures: circuit.phase === "closed" ? circuit.failures : 0,
      ...(openedAt && { openedAt }),
      ...(lastFailure && { lastFailure }),
      ...(reachable === undefined ? {} : { reachable }),
      ...(probeFault && { probeFault }),
    }),
    probeDueInMs() {
      return circuit.phase === "open" ? Math.max(0, circuit.probeDueAtMs - clock.monotonicMs()) : 0;
    },
    recordProbe(found, why) {
      reachable = found;
      probeFault = found ? undefined : why;
    },
  };
}
