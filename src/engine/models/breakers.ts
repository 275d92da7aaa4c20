import type { Clock } from "../../kit/clock.ts";
import {
  admits,
  type Circuit,
  type CircuitEnd,
  type CircuitSettings,
  closedCircuit,
  defaultCircuitSettings,
  step,
} from "../../kit/outages/circuit-breaker.ts";

/** Key of a circuit: a provider at an address, called with an account. */
export interface BreakerKey {
  provider: string;
  endpoint?: string | undefined;
  /** Owner of the key and address if it is not the operator. A tenant's bad key so affects only that tenant. */
  account?: string | undefined;
}

/** healthy: closed; degraded: consecutive failures that have not opened it yet, or a failed probe; unavailable: open or on probation. */
export type ProviderHealth = "healthy" | "degraded" | "unavailable";

/**
 * How an admitted call ended: `doubtful` if its caller may have caused the failure, `released` if it says nothing about the provider.
 * `judgeCall` decides.
 */
export type CallEnding = "succeeded" | "failed" | "doubtful" | "released";

/** Reports the end of an admitted call; only the first report counts. `by` identifies a caller among those that share a provider. */
export type CallReport = (ending: CallEnding, why?: Mishap, by?: string) => void;

/** Code and message of a failure; safe to show. */
export interface Mishap {
  code: string;
  message: string;
}

/** State of a breaker for operators. */
export interface BreakerState {
  health: ProviderHealth;
  phase: Circuit["phase"];
  /** Number of consecutive failures while closed. */
  failures: number;
  /** Since when the circuit is open or on probation. */
  openedAt?: Date;
  /** Latest counted failure since the process started. */
  lastFailure?: Mishap & { at: Date };
  /** Result of the last probe or of a later successful call; undefined before the first. */
  reachable?: boolean;
  probeFault?: Mishap;
}

export interface Breaker {
  /** Admits a call and returns the function that reports its end; undefined while the circuit admits no call. */
  enter(): CallReport | undefined;
  health(): ProviderHealth;
  state(): BreakerState;
  /** Milliseconds until an open circuit admits a probe; 0 if a call may pass or a probe is running. */
  probeDueInMs(): number;
  /** Records the result of a reachability check. It affects the health but never opens or closes the circuit. */
  recordProbe(reachable: boolean, why?: Mishap): void;
}

/** The breakers of one process. */
export interface Breakers {
  /** Returns the breaker of `key`, created on first use. */
  of(key: BreakerKey): Breaker;
  /** Every breaker used so far with its health, in order of first use. */
  list(): (BreakerKey & { health: ProviderHealth; breaker: Breaker })[];
  /** Drops the breakers of an address that will not be called again. */
  forget(endpoint: string): void;
}

/** Creates in-memory breakers; nothing is stored. */
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
    forget(endpoint) {
      for (const [id, { key }] of breakers) if (key.endpoint === endpoint) breakers.delete(id);
    },
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
        // If only one caller uses the provider, a doubtful ending counts as a failure.
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
