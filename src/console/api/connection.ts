/** Tracks whether the server behind this page answers. */
export interface ConnectionMonitor {
  /** Adds a listener, for `useSyncExternalStore`. */
  subscribe(listener: () => void): () => void;
  isLost(): boolean;
  /** Reports a call that got no answer at all; from then on, the server is polled until it is back. */
  lost(): void;
}

interface MonitorPorts {
  /** Returns true if the server answers now. */
  ask: () => Promise<boolean>;
  /** Called when the server is back. */
  regained: () => void;
  /** Runs `then` after some time, by the page's own timer. */
  wait: (ms: number, then: () => void | Promise<void>) => void;
  /** Returns true if the page is visible; a hidden page sends no polls. */
  isVisible: () => boolean;
}

const firstWaitMs = 1000;
const longestWaitMs = 8000;

/** Creates a connection that polls only while it is lost, at growing intervals. */
export function createConnectionMonitor({ ask, regained, wait, isVisible }: MonitorPorts): ConnectionMonitor {
  const listeners = new Set<() => void>();
  let isLost = false;

  function tell(): void {
    for (const listener of listeners) listener();
  }

  function askAgain(waitMs: number): void {
    wait(waitMs, async () => {
      if (isVisible() && (await ask())) {
        isLost = false;
        tell();
        regained();
      } else {
        askAgain(Math.min(waitMs * 2, longestWaitMs));
      }
    });
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    isLost: () => isLost,
    lost() {
      if (isLost) return;
      isLost = true;
      tell();
      askAgain(firstWaitMs);
    },
  };
}
