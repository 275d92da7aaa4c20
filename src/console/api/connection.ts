/** Whether the server behind this page answers. */
export interface Connection {
  /** For `useSyncExternalStore`. */
  subscribe(listener: () => void): () => void;
  isLost(): boolean;
  /** Told by each call that got no answer at all: from then on the server is asked whether it is back. */
  lost(): void;
}

interface ConnectionParts {
  /** Whether the server answers now. */
  ask: () => Promise<boolean>;
  /** When it is back. */
  regained: () => void;
  /** Runs `then` after some time; the page's own timer. */
  wait: (ms: number, then: () => void | Promise<void>) => void;
  /** Nobody is asked for a page that nobody sees. */
  isVisible: () => boolean;
}

const firstWaitMs = 1000;
const longestWaitMs = 8000;

/** Asks only while the connection is lost, less and less often. */
export function createConnection({ ask, regained, wait, isVisible }: ConnectionParts): Connection {
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
