import type { ServiceApp } from "../http/service-app.ts";

/** Path on the control sockets where a command asks what the server serves. */
export const serverPath = "/server";

/** Services of a running server, with their addresses on the network. */
export interface ServerFacts {
  services: readonly { name: string; url: string }[];
}

/** Adds the facts to a service's control socket, where only the machine's owner comes in. */
export function withServerFacts(app: ServiceApp, facts: () => ServerFacts): ServiceApp {
  return {
    ...app,
    async handle(request, origin) {
      if (request.method !== "GET" || new URL(request.url).pathname !== serverPath)
        return app.handle(request, origin);
      return Response.json(facts());
    },
  };
}
