import type { ReadReadiness } from "../../http/common-routes.ts";
import { codeAndMessage } from "../../http/errors/error-answer.ts";
import type { Access } from "../../http/front-door/front-door.ts";
import { createServiceApp, type ServiceApp } from "../../http/service-app.ts";
import {
  operatorAccountRoutes,
  ownAccountRoutes,
  ownPasswordRoutes,
  passwordLinkRoutes,
} from "./account/routes.ts";
import { adminRoutes } from "./admin/routes.ts";
import { forgetAgents, waitBriefly } from "./agents/forget-agents.ts";
import { Registrations } from "./agents/registrations.ts";
import { agentRoutes, specRoutes } from "./agents/routes.ts";
import { authRoutes, meRoutes, signOutRoutes } from "./auth/routes.ts";
import { billingRoutes, statementRoutes } from "./billing/routes.ts";
import { forgetDocuments } from "./collections/forget-documents.ts";
import { collectionQueryRoutes, collectionRoutes } from "./collections/routes.ts";
import { documentUploadRoutes } from "./collections/upload-routes.ts";
import { connectionRoutes } from "./connections/routes.ts";
import { correctionRoutes } from "./corrections/routes.ts";
import type { PlatformDeps } from "./deps.ts";
import { judgeRelease } from "./evals/judge-release.ts";
import { tenantEvalRoutes } from "./evals/routes.ts";
import { feedbackRoutes } from "./feedback/routes.ts";
import { grantRoutes, ownGrantRoutes } from "./grants/routes.ts";
import { invoiceRoutes, ownInvoiceRoutes } from "./invoices/routes.ts";
import { actorRoutes } from "./members/actor-routes.ts";
import { memberRoutes } from "./members/routes.ts";
import { messageRoutes, runMessageRoutes } from "./messages/routes.ts";
import { metricsRoutes } from "./metrics/routes.ts";
import { deskNoticeRoutes } from "./notices/desk-notices.ts";
import { noticeRoutes, ownNoticeRoutes } from "./notices/routes.ts";
import { planRoutes } from "./plans/routes.ts";
import { approvalRoutes } from "./runs/decisions/routes.ts";
import { runRoutes } from "./runs/routes.ts";
import { sessionRoutes } from "./runs/session-routes.ts";
import { streamRoutes } from "./runs/streams/stream-routes.ts";
import { trialRoutes } from "./runs/trial-routes.ts";
import { adminSubscriptionRoutes, subscriptionRoutes } from "./subscriptions/routes.ts";
import { tariffRoutes } from "./tariffs/routes.ts";
import type { ForgetTenant } from "./tenants/delete-tenant.ts";
import { tenantRoutes } from "./tenants/routes.ts";
import { catalogRoutes } from "./usage/catalog-routes.ts";
import { observabilityRoutes } from "./usage/observability-routes.ts";

export interface PlatformDoor {
  access: Access;
  secure: boolean;
  readReadiness: ReadReadiness;
  /** False if there are no keys for access tokens; the sign-in routes are then omitted. */
  withSignIn?: boolean;
}

/** HTTP and WebSocket API of the agent platform. Every route checks its own credential. */
export function createPlatformApp(deps: PlatformDeps, door: PlatformDoor): ServiceApp {
  const registrations = new Registrations(deps);
  const publishing = { ...deps, judgeRelease };
  const forgetTenant: ForgetTenant = (tenantId, retired) => {
    const agents = forgetAgents(
      deps,
      retired.map((agent) => ({ ...agent, tenantId })),
    );
    return waitBriefly(deps.clock, Promise.all([agents, forgetDocuments(deps, tenantId)]));
  };
  return createServiceApp({
    name: "platform",
    title: "Argosy platform",
    description:
      "Tenants, versioned agents, runs recorded and charged in credits, subscriptions and billing.",
    version: deps.version,
    ...door,
    errorForm: codeAndMessage,
    routes: () => [
      ...(door.withSignIn === false
        ? []
        : [
            authRoutes(deps),
            passwordLinkRoutes(deps),
            signOutRoutes(deps),
            ownPasswordRoutes(deps),
            meRoutes(deps),
            ownAccountRoutes(deps),
            operatorAccountRoutes(deps),
          ]),
      tenantRoutes(deps, forgetTenant),
      memberRoutes(deps),
      actorRoutes(deps),
      specRoutes(publishing),
      agentRoutes(publishing, registrations),
      runRoutes(deps, registrations),
      trialRoutes(deps, registrations),
      streamRoutes(deps, registrations),
      sessionRoutes(deps, registrations),
      approvalRoutes(deps, registrations),
      connectionRoutes(deps),
      collectionRoutes(deps),
      collectionQueryRoutes(deps),
      documentUploadRoutes(deps),
      catalogRoutes(deps),
      observabilityRoutes(deps),
      ...tenantEvalRoutes(deps),
      feedbackRoutes(deps),
      ...(deps.messages ? [messageRoutes(deps, deps.messages), runMessageRoutes(deps, deps.messages)] : []),
      subscriptionRoutes(deps),
      tariffRoutes(deps),
      planRoutes(deps),
      adminSubscriptionRoutes(deps),
      billingRoutes(deps),
      statementRoutes(deps),
      grantRoutes(deps),
      ownGrantRoutes(deps),
      correctionRoutes(deps),
      invoiceRoutes(deps),
      ownInvoiceRoutes(deps),
      noticeRoutes(deps),
      ownNoticeRoutes(deps),
      deskNoticeRoutes(deps),
      adminRoutes(deps),
      metricsRoutes(deps),
    ],
    log: deps.log,
    newId: deps.newId,
  });
}
