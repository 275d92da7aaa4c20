import { withControls } from "../../../control-plane/control-app.ts";
import { codeAndMessage } from "../../../http/errors/error-answer.ts";
import type { ServiceApp, ServiceDefinition } from "../../../http/service-app.ts";
import type { Logger } from "../../../kit/log.ts";
import type { AuthDeps } from "../auth/deps.ts";
import { type WorkspaceDeps, workspaceRoutes } from "../workspace/routes.ts";
import { controlRoutes, type Doctor } from "./routes.ts";

/** Creates the app for the control socket: the platform's routes, and routes that no network can reach. */
export function createControlApp(
  deps: AuthDeps & WorkspaceDeps & { version: string; log: Logger },
  app: ServiceApp,
  door: Pick<ServiceDefinition, "access" | "secure" | "readReadiness">,
  doctor: Doctor,
): ServiceApp {
  return withControls(app, {
    name: "platform-control",
    title: "Argosy platform, control socket",
    description: "Operations for the local command line.",
    version: deps.version,
    ...door,
    errorForm: codeAndMessage,
    routes: () => [controlRoutes(deps, doctor), workspaceRoutes(deps)],
    log: deps.log,
    newId: deps.newId,
  });
}
