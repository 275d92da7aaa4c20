import type { ServiceApp } from "../http/service-app.ts";

/** What has to end before a service closes, although nobody may wait for it any more. */
export interface PendingWork {
  /** Work that outlives its answer, as a run that somebody decided on. */
  add(work: Promise<unknown>): void;
  /** The app with each of its answers added: also one whose caller has left, as a run with a key may. */
  over(app: ServiceApp): ServiceApp;
  /** Resolves when nothing is left. */
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
