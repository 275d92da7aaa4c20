import type { ReadReadiness } from "../../http/common-routes.ts";
import { codeAndMessage } from "../../http/errors/error-answer.ts";
import type { Access } from "../../http/front-door/front-door.ts";
import { createServiceApp, type ServiceApp } from "../../http/service-app.ts";
import { accountRoutes } from "./accounts/routes.ts";
import type { TranslatorDeps } from "./deps.ts";
import { translationRoutes } from "./mapping/routes.ts";
import { reconcileRoutes } from "./reconcile/routes.ts";
import { specRoutes } from "./specs/routes.ts";

export interface TranslatorDoor {
  access: Access;
  secure: boolean;
  readReadiness: ReadReadiness;
}

/** HTTP API of the manifest translator. */
export function createTranslatorApp(deps: TranslatorDeps, door: TranslatorDoor): ServiceApp {
  return createServiceApp({
    name: "translator",
    title: "Argosy translator",
    description:
      "Translates manifests of agents and RAG pipelines into cloud resources, and reconciles cloud accounts with them.",
    version: deps.version,
    ...door,
    errorForm: codeAndMessage,
    routes: () => [translationRoutes(deps), specRoutes(deps), reconcileRoutes(deps), accountRoutes(deps)],
    log: deps.log,
    newId: deps.newId,
  });
}
