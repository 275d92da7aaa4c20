import { createContext, type ReactNode, use, useState, useSyncExternalStore } from "react";

/** Counts minutes, for texts that change with time. One timer serves all listeners. Without any, or while the page is hidden, it rests. */
export interface MinuteTick {
  /** Adds a listener, for `useSyncExternalStore`. */
  subscribe(listener: () => void): () => void;
  read(): number;
}

export interface MinuteTickParts {
  page: Pick<Document, "visibilityState" | "addEventListener" | "removeEventListener">;
  /** Runs `tick` again and again, until the returned function is called. */
  every: (ms: number, tick: () => void) => () => void;
}

/** Ticks each minute, and at once when a hidden page is shown again. */
export function createMinuteTick({ page, every }: MinuteTickParts): MinuteTick {
  const listeners = new Set<() => void>();
  let ticks = 0;
  let stop: (() => void) | undefined;

  function tick(): void {
    ticks++;
    for (const listener of listeners) listener();
  }
  function follow(): void {
    stop?.();
    stop = page.visibilityState === "visible" ? every(60_000, tick) : undefined;
  }
  function turned(): void {
    follow();
    if (stop !== undefined) tick();
  }
  return {
    subscribe(listener) {
      if (listeners.size === 0) {
        page.addEventListener("visibilitychange", turned);
        follow();
      }
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        page.removeEventListener("visibilitychange", turned);
        stop?.();
        stop = undefined;
      };
    },
    read: () => ticks,
  };
}

/** For elements that are rendered once, outside the console. */
const still: MinuteTick = { subscribe: () => () => undefined, read: () => 0 };

const MinuteTickContext = createContext(still);

export function MinuteTickProvider({ children }: { children: ReactNode }) {
  const [tick] = useState(() => createMinuteTick({ page: document, every }));
  return <MinuteTickContext value={tick}>{children}</MinuteTickContext>;
}

function every(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms);
  return () => clearInterval(timer);
}

/** Renders the component again on each minute. */
export function useMinuteTick(): void {
  const { subscribe, read } = use(MinuteTickContext);
  useSyncExternalStore(subscribe, read, read);
}
