import type { ServiceApp } from "../../../http/service-app.ts";
import { sharedLook } from "./shared-look.ts";

/** Looks at the workspace's files before a call, so that the owner's command sees the file that was saved a moment before. */
export function withFreshFiles(app: ServiceApp, look: () => Promise<void>): ServiceApp {
  const looked = sharedLook(look);
  return {
    ...app,
    async handle(request, origin) {
      await looked();
      return app.handle(request, origin);
    },
  };
}
