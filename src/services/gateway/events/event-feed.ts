import type { GatewayEvent } from "../../../contracts/gateway/events.ts";
import type { Clock } from "../../../kit/clock.ts";

/** A change without its time. */
export type Change = Omit<GatewayEvent, "at">;

/** A reader that falls further behind loses its oldest changes, and is told to read everything again. */
const waitingMax = 1_000;

/** One open stream. */
export interface FeedReader extends Disposable {
  /** Resolves with what happened since the last call, at least one change, or with none when the signal aborts. */
  next(signal: AbortSignal): Promise<GatewayEvent[]>;
}

interface Listener {
  waiting: GatewayEvent[];
  wake: () => void;
}

/** Hands changes of this process to the open streams. Publish after the commit. Nothing is kept without a stream. */
export class EventFeed {
  readonly #clock: Clock;
  readonly #listeners = new Set<Listener>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Number of open streams. */
  get readers(): number {
    return this.#listeners.size;
  }

  publish(...changes: readonly Change[]): void {
    if (this.#listeners.size === 0 || changes.length === 0) return;
    const at = this.#clock.now().toISOString();
    for (const listener of this.#listeners) {
      listener.waiting.push(...changes.map((change) => ({ at, ...change })));
      if (listener.waiting.length > waitingMax) {
        listener.waiting = [{ at, about: "stream", change: "open" }];
      }
      listener.wake();
    }
  }

  read(): FeedReader {
    const listener: Listener = { waiting: [], wake: () => undefined };
    this.#listeners.add(listener);
    return {
      async next(signal) {
        if (listener.waiting.length === 0 && !signal.aborted) {
          const woken = Promise.withResolvers<void>();
          listener.wake = woken.resolve;
          signal.addEventListener("abort", listener.wake, { once: true });
          await woken.promise;
          signal.removeEventListener("abort", listener.wake);
        }
        return listener.waiting.splice(0);
      },
      [Symbol.dispose]: () => {
        this.#listeners.delete(listener);
      },
    };
  }
}
