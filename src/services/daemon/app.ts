import type { ReadReadiness } from "../../http/common-routes.ts";
import type { Access } from "../../http/front-door.ts";
import { createServiceApp, type ServiceApp } from "../../http/service-app.ts";
import { manifestRoutes } from "./agents/manifest-routes.ts";
import { mcpLoginRoutes } from "./agents/mcp-login-routes.ts";
import { agentRoutes } from "./agents/routes.ts";
import { approvalRoutes } from "./approvals/routes.ts";
import { cassetteRoutes } from "./cassettes/routes.ts";
import { channelRoutes } from "./channels/routes.ts";
import { costRoutes } from "./costs/routes.ts";
import type { DaemonDeps } from "./deps.ts";
import { daemonErrorForm } from "./errors.ts";
import { mcpRoutes } from "./mcp/routes.ts";
import { memoryRoutes } from "./memory/routes.ts";
import { metricsRoutes } from "./metrics/routes.ts";
import { openAiRoutes } from "./openai/routes.ts";
import { runRoutes } from "./runs/routes.ts";
import { systemRoutes } from "./system/routes.ts";
import { toolRoutes } from "./tools/routes.ts";
import { traceRoutes } from "./traces/routes.ts";

export interface DaemonDoor {
  access: Access;
  secure: boolean;
  readReadiness: ReadReadiness;
}

/** The agent runtime daemon's HTTP and WebSocket API. */
export function createDaemonApp(deps: DaemonDeps, door: DaemonDoor): ServiceApp {
  return createServiceApp({
    name: "daemon",
    title: "Argosy daemon",
    description: "Loads agents from YAML files and runs them: guardrails, memory, prompt, models and tools.",
    version: deps.version,
    ...door,
    errorForm: daemonErrorForm,
    routes: [
      systemRoutes(deps),
      agentRoutes(deps),
      manifestRoutes(deps),
      mcpLoginRoutes(deps),
      runRoutes(deps),
      memoryRoutes(deps),
      toolRoutes(deps),
      traceRoutes(deps),
      cassetteRoutes(deps),
      costRoutes(deps),
      metricsRoutes(deps),
      openAiRoutes(deps),
      channelRoutes(deps),
      ...(deps.approvals ? [approvalRoutes(deps, deps.approvals)] : []),
      mcpRoutes(deps),
    ],
    log: deps.log,
    newId: deps.newId,
  });
}
