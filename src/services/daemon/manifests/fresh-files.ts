import type { ServiceApp } from "../../../http/service-app.ts";
import type { Clock } from "../../../kit/clock.ts";

/** Calls of one command that follow each other faster share a look; a command takes longer than this to start. */
const freshMs = 50;

/** Looks at the workspace's files before a call, so that the owner's command sees the file that was saved a moment before. */
export function withFreshFiles(app: ServiceApp, look: () => Promise<void>, clock: Clock): ServiceApp {
  let looking = Promise.resolve();
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  return {
    ...app,
    async handle(request, origin) {
      const nowMs = clock.monotonicMs();
      if (nowMs - lookedAtMs >= freshMs) {
        lookedAtMs = nowMs;
        // The watcher logs why a look failed. What is loaded keeps serving.
        looking = look().catch(() => {});
      }
      await looking;
      return app.handle(request, origin);
    },
  };
}
