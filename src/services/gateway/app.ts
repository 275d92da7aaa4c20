import type { AnyElysia } from "elysia";
import type { ReadReadiness } from "../../http/common-routes.ts";
import type { Access } from "../../http/front-door/front-door.ts";
import { createServiceApp, type ServiceApp } from "../../http/service-app.ts";
import { accountRoutes } from "./accounts/routes.ts";
import { bindingRoutes } from "./bindings/routes.ts";
import { contactRoutes } from "./contacts/routes.ts";
import { deskRoutes } from "./conversations/desk-routes.ts";
import { conversationRoutes } from "./conversations/routes.ts";
import type { GatewayDeps } from "./deps.ts";
import { cannedRoutes } from "./desk/canned-routes.ts";
import { directoryRoutes, setupRoutes, webhookAddressRoutes } from "./directory/routes.ts";
import { emulatorRoutes } from "./emulator/routes.ts";
import { messageOnly } from "./errors.ts";
import { eventRoutes } from "./events/routes.ts";
import { identityRoutes } from "./identities/routes.ts";
import { parkedRoutes } from "./inbound/parked-routes.ts";
import { webhookRoutes } from "./inbound/routes.ts";
import { fileLinkRoutes } from "./media/file-links.ts";
import { adminMediaRoutes, tenantMediaRoutes } from "./media/routes.ts";
import { outboxRoutes } from "./messages/outbox-routes.ts";
import { adminSendRoutes, messageRoutes, noOnBehalfRoutes, onBehalfRoutes } from "./messages/routes.ts";
import { metricsRoutes } from "./metrics/routes.ts";
import { reportRoutes } from "./reports/routes.ts";
import { storageRoutes } from "./room/routes.ts";
import { statsRoutes } from "./stats/routes.ts";
import { templateRoutes } from "./templates/routes.ts";
import { trailRoutes } from "./trail/routes.ts";
import { bridgeRoutes } from "./webchat/bridge-routes.ts";
import { visitorRoutes } from "./webchat/visitor-routes.ts";
import { widgetRoutes } from "./webchat/widget-routes.ts";

export interface GatewayDoor {
  access: Access;
  secure: boolean;
  readReadiness: ReadReadiness;
}

/** HTTP API of the messaging gateway. The routes of a credential that is not configured don't exist. */
export function createGatewayApp(deps: GatewayDeps, door: GatewayDoor): ServiceApp {
  const { sendKeys, trustedSenderKey, adminToken } = deps.credentials;
  return createServiceApp({
    name: "gateway",
    title: "Argosy gateway",
    description: "Connects messaging channels to agents, and sends messages of tenants.",
    version: deps.version,
    ...door,
    errorForm: messageOnly,
    routes: () => [
      webhookRoutes(deps),
      fileLinkRoutes(deps),
      ...(sendKeys.length === 0 ? [] : [messageRoutes(deps, sendKeys), ...tenantMediaRoutes(deps, sendKeys)]),
      ...(trustedSenderKey === undefined
        ? [noOnBehalfRoutes()]
        : [
            onBehalfRoutes(deps, trustedSenderKey),
            identityRoutes(deps, trustedSenderKey),
            storageRoutes(deps, trustedSenderKey),
          ]),
      ...(adminToken === undefined ? [] : adminRoutes(deps, adminToken)),
      ...webchatRoutes(deps),
    ],
    log: deps.log,
    newId: deps.newId,
  });
}

/** Without keys that sign visitors' tokens, only operators' programs play visitors. */
function webchatRoutes({ webchat, ...deps }: GatewayDeps): AnyElysia[] {
  if (webchat === undefined) return [];
  const { adminToken } = deps.credentials;
  const { bell, inbox, tokens, limits, widget } = webchat;
  const ports = { ...deps, bell, inbox };
  return [
    ...(adminToken === undefined ? [] : [bridgeRoutes(ports, adminToken)]),
    ...(tokens === undefined ? [] : [widgetRoutes(widget), ...visitorRoutes({ ...ports, tokens, limits })]),
  ];
}

/** Operators' own routes, and those that they share with the desks of tenants. */
const adminRoutes = (deps: GatewayDeps, token: string): AnyElysia[] => {
  const door = { adminToken: token, members: deps.members };
  return [
    accountRoutes(deps, token),
    bindingRoutes(deps, token),
    webhookAddressRoutes(deps, token),
    statsRoutes(deps, token),
    parkedRoutes(deps, token),
    metricsRoutes(deps, token),
    ...(deps.withEmulator ? [emulatorRoutes(deps, token)] : []),
    directoryRoutes(deps, door),
    setupRoutes(deps, door),
    eventRoutes(deps, door),
    contactRoutes(deps, door),
    conversationRoutes(deps, door),
    deskRoutes(deps, door),
    cannedRoutes(deps, door),
    outboxRoutes(deps, door),
    reportRoutes(deps, door),
    trailRoutes(deps, door),
    templateRoutes(deps, door),
    adminSendRoutes(deps, door),
    ...adminMediaRoutes(deps, door),
  ];
};
