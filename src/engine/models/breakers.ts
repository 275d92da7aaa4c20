import type { Clock } from "../../kit/clock.ts";
import { LatestMap } from "../../kit/latest-map.ts";
import {
  type Circuit,
  type CircuitSettings,
  defaultCircuitSettings,
} from "../../kit/outages/circuit-breaker.ts";
import { type CallEnding, type EndReport, SharedCircuit } from "../../kit/outages/shared-circuit.ts";

/** Key of a circuit: a provider at an address, called with an account. */
export interface BreakerKey {
  provider: string;
  endpoint?: string | undefined;
  /** Owner of the key and address if it is not the operator. A tenant's bad key so affects only that tenant. */
  account?: string | undefined;
}

/**
 * healthy: closed; degraded: consecutive failures that have not opened it yet, or a failed probe; unavailable: open or on probation, or more
 * owners see failures than successes.
 */
export type ProviderHealth = "healthy" | "degraded" | "unavailable";

/** How an admitted call ended; `judgeCall` decides. */
export type { CallEnding };

/** Reports the end of an admitted call; only the first report counts. */
export type CallReport = EndReport<Mishap>;

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

/** A provider as one owner meets it: what other owners' calls do to it shuts this one out of nothing. */
export interface Breaker {
  /** Admits a call and returns the function that reports its end; undefined while the circuit admits no call. */
  enter(): CallReport | undefined;
  health(): ProviderHealth;
  state(): BreakerState;
  /** Code of the latest failure that the owner itself has met. */
  ownReason(): string | undefined;
  /** True if the owner is shut out and the other owners don't see the provider fail: its own calls have caused it. */
  isClosedByCaller(): boolean;
  /** Milliseconds until an open circuit admits a probe; 0 if a call may pass or a probe is running. */
  probeDueInMs(): number;
  /** Notes that the provider asked to wait before this model is called again. */
  throttle(model: string, seconds: number): void;
  /** True until that time has passed. */
  isThrottled(model: string): boolean;
  /** Records the result of a reachability check. It affects the health but never opens or closes the circuit. */
  recordProbe(reachable: boolean, why?: Mishap): void;
}

/** The breakers of one process, as one owner meets them. */
export interface Breakers {
  /** Returns the breaker of `key`, created on first use. */
  of(key: BreakerKey): Breaker;
  /** Every breaker used so far with its health, in order of first use. */
  list(): (BreakerKey & { health: ProviderHealth; breaker: Breaker })[];
  /** Drops the breakers of an address that will not be called again. */
  forget(endpoint: string): void;
}

/** The breakers of one process; by themselves, as the operator meets them. */
export interface SharedBreakers extends Breakers {
  /** The same for another owner, who is asked for at each call. */
  for(owner: () => string): Breakers;
}

const throttledModelsMax = 1000;

/** The operator as an owner, whom no tenant can be. */
const operator = () => "";

/** Creates in-memory breakers; nothing is stored. */
export function createBreakers(
  clock: Clock,
  settings: CircuitSettings = defaultCircuitSettings,
): SharedBreakers {
  const providers = new Map<string, { key: BreakerKey; provider: ProviderBreaker }>();
  const providerOf = ({ provider: name, endpoint, account }: BreakerKey) => {
    const id = JSON.stringify([name, endpoint, account]);
    let entry = providers.get(id);
    if (!entry) {
      entry = { key: { provider: name, endpoint, account }, provider: new ProviderBreaker(clock, settings) };
      providers.set(id, entry);
    }
    return entry.provider;
  };
  const seenBy = (owner: () => string): Breakers => ({
    of: (key) => providerOf(key).seenBy(owner),
    list: () =>
      Array.from(providers.values(), ({ key, provider }) => {
        const breaker = provider.seenBy(owner);
        return { ...key, health: breaker.health(), breaker };
      }),
    forget(endpoint) {
      for (const [id, { key }] of providers) if (key.endpoint === endpoint) providers.delete(id);
    },
  });
  return { ...seenBy(operator), for: seenBy };
}

/** The circuits of one provider and what is known of it. */
class ProviderBreaker {
  readonly #circuit: SharedCircuit<Mishap>;
  readonly #clock: Clock;
  /** Providers count each model's calls alone. */
  readonly #throttledUntilMs = new LatestMap<string, number>(throttledModelsMax);
  #reachable: boolean | undefined;
  #probeFault: Mishap | undefined;

  constructor(clock: Clock, settings: CircuitSettings) {
    this.#circuit = new SharedCircuit(clock, settings);
    this.#clock = clock;
  }

  seenBy(owner: () => string): Breaker {
    const shared = this.#circuit;
    return {
      enter: () => {
        const report = shared.enter(owner());
        if (report === undefined) return undefined;
        return (ending, why) => {
          if (ending === "succeeded") this.#heal();
          report(ending, why);
        };
      },
      health: () => this.#health(owner()),
      state: () => this.#state(owner()),
      isClosedByCaller: () => shared.view(owner()).circuit.phase !== "closed" && !shared.isSuspected(),
      ownReason: () => shared.view(owner()).lastFailure?.why.code,
      probeDueInMs: () => shared.probeDueInMs(owner()),
      throttle: (model, seconds) => {
        this.#throttledUntilMs.set(model, this.#clock.monotonicMs() + seconds * 1000);
      },
      isThrottled: (model) => {
        const untilMs = this.#throttledUntilMs.get(model);
        if (untilMs === undefined) return false;
        if (untilMs > this.#clock.monotonicMs()) return true;
        this.#throttledUntilMs.delete(model);
        return false;
      },
      recordProbe: (reachable, why) => {
        this.#reachable = reachable;
        this.#probeFault = reachable ? undefined : why;
      },
    };
  }

  #heal(): void {
    if (this.#reachable === false) [this.#reachable, this.#probeFault] = [true, undefined];
  }

  #health(owner: string): ProviderHealth {
    const { circuit } = this.#circuit.view(owner);
    if (circuit.phase !== "closed" || this.#circuit.isSuspected()) return "unavailable";
    return circuit.failures > 0 || this.#reachable === false ? "degraded" : "healthy";
  }

  #state(owner: string): BreakerState {
    const { circuit, openedAt, lastFailure = this.#circuit.lastFailure() } = this.#circuit.view(owner);
    return {
      health: this.#health(owner),
      phase: circuit.phase,
      failures: circuit.phase === "closed" ? circuit.failures : 0,
      ...(openedAt && { openedAt }),
      ...(lastFailure && { lastFailure: { ...lastFailure.why, at: lastFailure.at } }),
      ...(this.#reachable === undefined ? {} : { reachable: this.#reachable }),
      ...(this.#probeFault && { probeFault: this.#probeFault }),
    };
  }
}
