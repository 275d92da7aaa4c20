import type { Clock } from "../clock.ts";

export interface ServerWatchOptions {
  clock: Clock;
  /** Sends the server a query over a new connection. Rejects if the server does not answer in time. */
  probe: () => Promise<void>;
  /** Milliseconds between two probes of a server that does not answer. */
  everyMs: number;
}

/** The server did not answer in time, or is known not to answer. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
  readonly code = "NO_ANSWER";

  constructor() {
    super("The server does not answer.");
  }
}

/**
 * Tracks whether a server answers. `up`: calls pass. `suspected`: one call got no answer, and a probe checks whether the server hangs or
 * only that call; new calls wait for the probe. `down`: the probe got no answer either; calls are refused at once, and further probes,
 * which need no calls, find out when the server is back.
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

  /** Resolves if the server answers as far as known; otherwise rejects with `NoAnswer`. */
  async admit(): Promise<void> {
    if (this.#state === "suspected") await this.#probing;
    if (this.#state === "down") throw new NoAnswer();
  }

  /** Resolves when a probe has shown that the server answers; otherwise rejects with `NoAnswer`. Starts a probe unless one is running. */
  async suspect(): Promise<void> {
    if (this.#state === "up") {
      this.#state = "suspected";
      this.#probing = this.#probe();
    }
    await this.admit();
  }

  /** Calls `lost` each time the server stops answering, which makes its connections useless. */
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
