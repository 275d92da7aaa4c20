import type { ReadReadiness } from "../../http/common-routes.ts";
import type { Access } from "../../http/front-door/front-door.ts";
import { createServiceApp, type ServiceApp } from "../../http/service-app.ts";
import { accountRoutes } from "./account/routes.ts";
import { agentRoutes } from "./agents/routes.ts";
import { auditRoutes } from "./audit/routes.ts";
import { authRoutes, logoutRoutes } from "./auth/routes.ts";
import type { CloudDeps } from "./deps.ts";
import { cloudErrors } from "./errors.ts";
import { judgeRelease } from "./evals/judge-release.ts";
import { orgEvalRoutes } from "./evals/routes.ts";
import { keyRoutes } from "./keys/routes.ts";
import { invitationRoutes, memberRoutes } from "./members/routes.ts";
import { newOrgRoutes, orgRoutes } from "./orgs/routes.ts";
import { providerRoutes } from "./providers/routes.ts";
import { runRoutes } from "./runs/routes.ts";
import { trialRoutes } from "./runs/trial-routes.ts";
import { usageRoutes } from "./usage/routes.ts";

export interface CloudDoor {
  access: Access;
  secure: boolean;
  readReadiness: ReadReadiness;
  /** False if there are no keys for access tokens; the sign-in routes are then omitted. */
  withSignIn?: boolean;
}

/** HTTP and WebSocket API of the managed cloud. Every route checks its own credential. */
export function createCloudApp(deps: CloudDeps, door: CloudDoor): ServiceApp {
  return createServiceApp({
    name: "cloud",
    title: "Argosy cloud",
    description:
      "Orgs that configure agents in five steps, deploy them with their own provider keys, and run them.",
    version: deps.version,
    ...door,
    errorForm: cloudErrors,
    routes: () => [
      ...(door.withSignIn === false ? [] : [authRoutes(deps), logoutRoutes(deps), accountRoutes(deps)]),
      orgRoutes(deps),
      newOrgRoutes(deps),
      auditRoutes(deps),
      memberRoutes(deps),
      invitationRoutes(deps),
      keyRoutes(deps),
      providerRoutes(deps),
      agentRoutes({ ...deps, judgeRelease }),
      runRoutes(deps),
      trialRoutes(deps),
      ...orgEvalRoutes(deps),
      usageRoutes(deps),
    ],
    log: deps.log,
    newId: deps.newId,
  });
}
