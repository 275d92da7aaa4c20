import { createServiceApp, type ServiceApp, type ServiceDefinition } from "../http/service-app.ts";

/** Creates the app for a service's control socket: the service's routes, and those below `/control`, which no network can reach. */
export function withControls(app: ServiceApp, definition: ServiceDefinition): ServiceApp {
  const controls = createServiceApp(definition);
  return {
    ...app,
    handle(request, origin) {
      const isControl = new URL(request.url).pathname.startsWith("/control/");
      return isControl ? controls.handle(request, origin) : app.handle(request, origin);
    },
  };
}
