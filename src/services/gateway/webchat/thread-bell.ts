import { gt } from "drizzle-orm";
import type { Clock } from "../../../kit/clock.ts";
import { repeatedWorker, type Worker } from "../../../kit/worker.ts";
import type { GatewayStorage } from "../tables.ts";

/** One visitor of one account, as a key of maps. */
export const bellKey = ({ accountId, visitor }: { accountId: string; visitor: string }): string =>
  `${accountId} ${visitor}`;

interface Listener {
  hasRung: boolean;
  wake: () => void;
}

/** One stream that waits for messages of its thread. */
export interface ThreadWatch extends Disposable {
  /** Resolves at the next ring, at once if there was one since the last wait, or when the signal aborts. */
  wait(signal: AbortSignal): Promise<void>;
}

/** Wakes the open streams of a thread when it got a message. */
export class ThreadBell {
  readonly #listeners = new Map<string, Set<Listener>>();

  /** Number of open streams. */
  get watches(): number {
    let count = 0;
    for (const listeners of this.#listeners.values()) count += listeners.size;
    return count;
  }

  ring(key: string): void {
    for (const listener of this.#listeners.get(key) ?? []) {
      listener.hasRung = true;
      listener.wake();
    }
  }

  watch(key: string): ThreadWatch {
    const listener: Listener = { hasRung: false, wake: () => undefined };
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners.add(listener));
    return {
      async wait(signal) {
        if (!listener.hasRung && !signal.aborted) {
          const woken = Promise.withResolvers<void>();
          listener.wake = woken.resolve;
          signal.addEventListener("abort", listener.wake, { once: true });
          await woken.promise;
          signal.removeEventListener("abort", listener.wake);
        }
        listener.hasRung = false;
      },
      [Symbol.dispose]: () => {
        listeners.delete(listener);
        if (listeners.size === 0 && this.#listeners.get(key) === listeners) this.#listeners.delete(key);
      },
    };
  }
}

const lookMs = 1_000;
/** Longer than a transaction takes, and than the clocks of two processes differ. */
const lookBackMs = 60_000;

/** Wakes streams for messages that another process on the same database stored. */
export function threadWatcher({
  storage: { read, tables },
  clock,
  bell,
}: {
  storage: GatewayStorage;
  clock: Clock;
  bell: ThreadBell;
}): Worker {
  let seen = new Map<string, number>();
  return repeatedWorker("webchat-watch", lookMs, clock, async () => {
    if (bell.watches === 0) return;
    const { webchatThreads } = tables;
    const rows = await read
      .select()
      .from(webchatThreads)
      .where(gt(webchatThreads.lastAt, new Date(clock.now().getTime() - lookBackMs)));
    const now = new Map(rows.map((row) => [bellKey(row), row.lastAt.getTime()]));
    for (const [key, lastAtMs] of now) if (seen.get(key) !== lastAtMs) bell.ring(key);
    seen = now;
  });
}
