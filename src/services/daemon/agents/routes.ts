import { Elysia } from "elysia";
import { AgentDetail, AgentList } from "../../../contracts/daemon/agents.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import type { DaemonDeps } from "../deps.ts";
import { presentDetail, presentSummary } from "./present-agent.ts";

export const agentRoutes = ({ catalog }: DaemonDeps) =>
  new Elysia({ prefix: "/v1/agents" })
    .use(jsonRoutes())
    .get("", async () => ({ agents: catalog.list().map(presentSummary) }), {
      response: AgentList,
      detail: { tags: ["agents"], operationId: "listAgents", summary: "The loaded agents" },
    })
    .get("/:name", async ({ params }) => presentDetail(catalog.getEntry(params.name)), {
      response: AgentDetail,
      detail: { tags: ["agents"], operationId: "getAgent", summary: "One agent" },
    });
