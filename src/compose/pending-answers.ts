import type { ServiceApp } from "../http/service-app.ts";

/** The app, and when every answer that it works on has been given: also one whose caller has left, as a run with a key may. */
export function withPendingAnswers(app: ServiceApp): { app: ServiceApp; ended: () => Promise<void> } {
  const pending = new Set<Promise<unknown>>();
  return {
    app: {
      ...app,
      handle(request, origin) {
        const answer = app.handle(request, origin);
        if (answer instanceof Promise) {
          const settled = answer.then(forget, forget);
          pending.add(settled);
          function forget() {
            pending.delete(settled);
          }
        }
        return answer;
      },
    },
    async ended() {
      await Promise.all(pending);
    },
  };
}
