import { createServiceApp, type ServiceApp } from "../../../http/service-app.ts";
import type { NewId } from "../../../kit/id.ts";
import { runtimeDocumentRoutes, runtimeUploadRoutes } from "./document-routes.ts";
import { runtimeRoutes } from "./routes.ts";
import type { RuntimeDeps } from "./runtime-deps.ts";

/** Creates the runtime for the control planes in this process. The app is bound to no port, so nothing else can call it. */
export function createRuntimeApp(deps: RuntimeDeps, newId: NewId): ServiceApp {
  return createServiceApp({
    name: "runtime",
    title: "Argosy runtime",
    description: "Runs the agents of tenants for the control planes of this process.",
    version: deps.version,
    access: { exposed: false, allowedHosts: [], guard: "none", openPaths: [] },
    secure: false,
    readReadiness: async () => [],
    routes: () => [runtimeRoutes(deps), runtimeDocumentRoutes(deps), runtimeUploadRoutes(deps)],
    log: deps.log,
    newId,
  });
}
