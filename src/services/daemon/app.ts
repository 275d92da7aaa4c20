import type { AnyElysia } from "elysia";
import type { ReadReadiness } from "../../http/common-routes.ts";
import type { Access } from "../../http/front-door/front-door.ts";
import { createServiceApp, type ServiceApp } from "../../http/service-app.ts";
import { a2aRoutes } from "./a2a/routes.ts";
import { historyRoutes } from "./agents/history/routes.ts";
import { manifestRoutes } from "./agents/manifest-routes.ts";
import { mcpLoginRoutes } from "./agents/mcp-login-routes.ts";
import { agentRoutes } from "./agents/routes.ts";
import { approvalRoutes } from "./approvals/routes.ts";
import { canaryRoutes } from "./canary/routes.ts";
import { cassetteRoutes } from "./cassettes/routes.ts";
import { channelRoutes } from "./channels/routes.ts";
import { chatUiRoutes } from "./chat-ui/routes.ts";
import { costRoutes } from "./costs/routes.ts";
import type { DaemonDeps } from "./deps.ts";
import { daemonErrorForm } from "./errors.ts";
import { evalRoutes } from "./evals/eval-routes.ts";
import { evalRunRoutes } from "./evals/run-routes.ts";
import { galleryRoutes } from "./gallery/routes.ts";
import { handbookRoutes } from "./handbook/routes.ts";
import { schemaRoutes } from "./manifests/schema-routes.ts";
import { mcpRoutes } from "./mcp/routes.ts";
import { contextRoutes } from "./memory/context/routes.ts";
import { memoryRoutes } from "./memory/conversations/history-routes.ts";
import { sessionRoutes } from "./memory/conversations/session-routes.ts";
import { episodeRoutes } from "./memory/episodes/routes.ts";
import { forgetRoutes } from "./memory/forget-routes.ts";
import { semanticRoutes } from "./memory/semantic/routes.ts";
import { nodeRoutes } from "./mesh/hop/completion-route.ts";
import { hopRoutes } from "./mesh/hop/run-route.ts";
import { withRole } from "./mesh/role-guard.ts";
import { meshRoutes } from "./mesh/routes.ts";
import { metricsRoutes } from "./metrics/routes.ts";
import { mlRoutes } from "./ml/routes.ts";
import { openAiRoutes } from "./openai/routes.ts";
import { backupRoutes } from "./operations/backup-routes.ts";
import { operationRoutes } from "./operations/routes.ts";
import { providerRoutes } from "./providers/routes.ts";
import { collectionRoutes } from "./rag/collections/collection-routes.ts";
import { documentRoutes, uploadRoutes } from "./rag/collections/document-routes.ts";
import { ragJobRoutes } from "./rag/jobs/job-routes.ts";
import { pipelineManifestRoutes, pipelineRoutes } from "./rag/pipelines/pipeline-routes.ts";
import { ragQueryRoutes, ragRoutes } from "./rag/routes.ts";
import { responseRoutes } from "./responses/routes.ts";
import { runStatsRoutes } from "./run-stats/routes.ts";
import { runRoutes } from "./runs/routes.ts";
import { skillRoutes } from "./skills/routes.ts";
import { systemRoutes } from "./system/routes.ts";
import { toolCallRoutes } from "./tool-calls/routes.ts";
import { toolRoutes } from "./tools/routes.ts";
import { feedbackRoutes } from "./traces/feedback/routes.ts";
import { traceRoutes } from "./traces/routes.ts";
import { hookRoutes } from "./triggers/hook-routes.ts";
import { triggerRoutes } from "./triggers/routes.ts";

export interface DaemonDoor {
  access: Access;
  secure: boolean;
  readReadiness: ReadReadiness;
  /** For control planes on other machines, which carry a token of their own. */
  internal?: readonly AnyElysia[];
}

/** HTTP and WebSocket API of the agent runtime daemon. */
export function createDaemonApp(deps: DaemonDeps, door: DaemonDoor): ServiceApp {
  return serviceApp(deps, door, () => [
    systemRoutes(deps),
    operationRoutes(deps),
    backupRoutes(deps),
    providerRoutes(deps),
    agentRoutes(deps),
    manifestRoutes(deps),
    historyRoutes(deps),
    canaryRoutes(deps),
    mcpLoginRoutes(deps),
    runRoutes(deps),
    memoryRoutes(deps),
    sessionRoutes(deps),
    contextRoutes(deps),
    semanticRoutes(deps),
    episodeRoutes(deps),
    forgetRoutes(deps),
    toolRoutes(deps),
    skillRoutes(deps),
    ragRoutes(deps),
    ragQueryRoutes(deps),
    collectionRoutes(deps),
    documentRoutes(deps),
    uploadRoutes(deps),
    ragJobRoutes(deps),
    pipelineRoutes(deps),
    pipelineManifestRoutes(deps),
    traceRoutes(deps),
    feedbackRoutes(deps),
    runStatsRoutes(deps),
    cassetteRoutes(deps),
    evalRoutes(deps),
    evalRunRoutes(deps),
    costRoutes(deps),
    mlRoutes(deps),
    metricsRoutes(deps),
    meshRoutes(deps),
    hopRoutes(deps, deps.hop),
    nodeRoutes(deps, deps.hop),
    galleryRoutes(deps),
    schemaRoutes(deps),
    handbookRoutes(deps),
    openAiRoutes(deps),
    responseRoutes(deps),
    chatUiRoutes(deps),
    triggerRoutes(deps),
    hookRoutes(deps),
    channelRoutes(deps),
    ...(deps.approvals ? [approvalRoutes(deps, deps.approvals), toolCallRoutes(deps, deps.approvals)] : []),
    mcpRoutes({ ...deps, tasks: deps.mcpTasks }),
    a2aRoutes(deps, door.access),
    ...(door.internal ?? []),
  ]);
}

/** The routes that evals call on their own daemon. They are built when the first eval runs. */
export function createEvalBackend(
  deps: Omit<DaemonDeps, "evals" | "triggers" | "mcpTasks">,
  door: DaemonDoor,
): ServiceApp {
  return serviceApp(deps, door, () => [
    agentRoutes(deps),
    manifestRoutes(deps),
    runRoutes(deps),
    memoryRoutes(deps),
    traceRoutes(deps),
    cassetteRoutes(deps),
    systemRoutes(deps),
    openAiRoutes(deps),
  ]);
}

function serviceApp(
  { version, role, log, newId }: Pick<DaemonDeps, "version" | "role" | "log" | "newId">,
  { access, secure, readReadiness }: DaemonDoor,
  routes: () => AnyElysia[],
): ServiceApp {
  const app = createServiceApp({
    name: "daemon",
    title: "Argosy daemon",
    description: "Loads agents from YAML files and runs them: guardrails, memory, prompt, models and tools.",
    handbook: "/docs/index",
    version,
    access,
    secure,
    readReadiness,
    errorForm: daemonErrorForm,
    routes,
    log,
    newId,
  });
  return withRole(app, role);
}
