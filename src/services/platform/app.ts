import type { ReadReadiness } from "../../http/common-routes.ts";
import { codeAndMessage } from "../../http/error-answer.ts";
import type { Access } from "../../http/front-door.ts";
import { createServiceApp, type ServiceApp } from "../../http/service-app.ts";
import type { PlatformDeps } from "./deps.ts";

export interface PlatformDoor {
  access: Access;
  secure: boolean;
  readReadiness: ReadReadiness;
}

/** The agent platform's HTTP and WebSocket API. Every route checks its own credential. */
export function createPlatformApp(deps: PlatformDeps, door: PlatformDoor): ServiceApp {
  return createServiceApp({
    name: "platform",
    title: "Argosy platform",
    description:
      "Tenants, versioned agents, runs that are recorded and charged in credits, subscriptions and billing.",
    version: deps.version,
    ...door,
    errorForm: codeAndMessage,
    routes: [],
    log: deps.log,
    newId: deps.newId,
  });
}
