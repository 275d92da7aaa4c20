import { codeAndMessage } from "../../../http/error-answer.ts";
import { createServiceApp, type ServiceApp } from "../../../http/service-app.ts";
import type { PlatformDoor } from "../app.ts";
import type { PlatformDeps } from "../deps.ts";
import { controlRoutes, type Doctor } from "./routes.ts";

/** What the control socket serves: the platform's own routes, and beside them those that no network reaches. */
export function createControlApp(
  deps: PlatformDeps,
  app: ServiceApp,
  door: Pick<PlatformDoor, "access" | "secure" | "readReadiness">,
  doctor: Doctor,
): ServiceApp {
  const controls = createServiceApp({
    name: "platform-control",
    title: "Argosy platform, control socket",
    description: "What the command line of the machine may do.",
    version: deps.version,
    ...door,
    errorForm: codeAndMessage,
    routes: [controlRoutes(deps, doctor)],
    log: deps.log,
    newId: deps.newId,
  });
  return {
    ...app,
    handle(request, origin) {
      const isControl = new URL(request.url).pathname.startsWith("/control/");
      return isControl ? controls.handle(request, origin) : app.handle(request, origin);
    },
  };
}
