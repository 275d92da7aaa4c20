import type { ServiceApp } from "../http/service-app.ts";

/** Work that must end before a service closes, even if no caller waits for it any more. */
export interface PendingWork {
  /** Adds work that continues after its answer, such as a run resumed by a decision. */
  add(work: Promise<unknown>): void;
  /** Returns the app with each of its answers added, including those whose caller has left. */
  over(app: ServiceApp): ServiceApp;
  /** Resolves when no work is left. */
  ended(): Promise<void>;
}

export function pendingWork(): PendingWork {
  const pending = new Set<Promise<unknown>>();
  const add = (work: Promise<unknown>) => {
    const settled = work.then(forget, forget);
    pending.add(settled);
    function forget() {
      pending.delete(settled);
    }
  };
  return {
    add,
    over: (app) => ({
      ...app,
      handle(request, origin) {
        const answer = app.handle(request, origin);
        if (answer instanceof Promise) add(answer);
        return answer;
      },
    }),
    async ended() {
      // An answer may leave work behind.
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}
