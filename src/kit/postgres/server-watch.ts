import type { Clock } from "../clock.ts";

export interface ServerWatchOptions {
  clock: Clock;
  /** Asks the server something over a new connection; rejects when it does not answer in time. */
  probe: () => Promise<void>;
  /** The wait between two probes of a server that does not answer. */
  everyMs: number;
}

/** Thrown where a server did not answer in time, or is known not to answer. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
  readonly code = "NO_ANSWER";

  constructor() {
    super("The server does not answer.");
  }
}

/**
 * Knows whether a server answers. `up`: calls pass. `suspected`: one call got no answer, and a probe asks whether the server
 * hangs or only that call does; new calls wait for the probe. `down`: the probe got no answer either; calls are refused at
 * once, and further probes find out when the server is back, also when nobody calls.
 */
export class ServerWatch {
  readonly #options: ServerWatchOptions;
  #state: "up" | "suspected" | "down" = "up";
  #probing: Promise<void> | undefined;
  readonly #onLost = new Set<() => void>();
  #cancelTimer = () => {};
  #closed = false;

  constructor(options: ServerWatchOptions) {
    this.#options = options;
  }

  /** Resolves while the server answers, as far as is known; rejects with `NoAnswer` otherwise. */
  async admit(): Promise<void> {
    if (this.#state === "suspected") await this.#probing;
    if (this.#state === "down") throw new NoAnswer();
  }

  /** Resolves when a probe, begun now unless one is under way, has shown that the server answers; rejects with `NoAnswer`. */
  async suspect(): Promise<void> {
    if (this.#state === "up") {
      this.#state = "suspected";
      this.#probing = this.#probe();
    }
    await this.admit();
  }

  /** Calls `lost` each time the server stops answering: its connections are of no use any more. */
  onLost(lost: () => void): void {
    this.#onLost.add(lost);
  }

  close(): void {
    this.#closed = true;
    this.#cancelTimer();
  }

  async #probe(): Promise<void> {
    const { clock, probe, everyMs } = this.#options;
    try {
      await probe();
      this.#state = "up";
    } catch {
      const isNews = this.#state !== "down";
      this.#state = "down";
      if (this.#closed) return;
      this.#cancelTimer = clock.timer(everyMs, () => void this.#probe());
      if (isNews) for (const lost of this.#onLost) lost();
    }
  }
}
