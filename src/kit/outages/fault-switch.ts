import type { Clock } from "../clock.ts";

/** Answers a call to a model server in its place. Returns undefined for every other address. */
export type ModelStandIn = (url: string, init: RequestInit) => Promise<Response> | undefined;

/** Faults that a drill may inject, each at the place in the code where the real fault would appear. */
export interface Faults {
  /** Model servers of the drill's own agents. */
  models: ModelStandIn;
  /** Every commit to a SQLite file fails as on a full disk. */
  fullDisk: true;
  /** PostgreSQL accepts statements, and its answers don't arrive before this promise resolves. */
  silentDatabase: Promise<void>;
}

/**
 * Faults of a running drill, for the places that inject them. Without a drill every field is undefined, so that such a place costs one read
 * of a field. Each fault ends by itself at the latest after the time given with it.
 */
export class FaultSwitch {
  models: Faults["models"] | undefined;
  fullDisk: Faults["fullDisk"] | undefined;
  silentDatabase: Faults["silentDatabase"] | undefined;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Injects a fault. The returned function ends it early. */
  inject<Name extends keyof Faults>(name: Name, fault: Faults[Name], maxMs: number): () => void {
    const set = (value: Faults[Name] | undefined) => Object.assign(this, { [name]: value });
    set(fault);
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      cancelTimer();
      set(undefined);
    };
    const cancelTimer = this.#clock.timer(maxMs, end);
    return end;
  }

  /** Names of the faults that are injected now. */
  active(): (keyof Faults)[] {
    const names = ["models", "fullDisk", "silentDatabase"] as const;
    return names.filter((name) => this[name] !== undefined);
  }
}
