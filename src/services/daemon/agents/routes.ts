import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { AgentDeleted, AgentDetail, AgentList } from "../../../contracts/daemon/agents.ts";
import type { RunPorts } from "../../../engine/run/run.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { senderIn } from "../manifests/read-sent.ts";
import type { AgentCatalog } from "./agent-catalog.ts";
import type { ChangeDeps } from "./change-agents.ts";
import { deleteAgent } from "./change-agents.ts";
import { presentDetail, presentSummary } from "./present-agent.ts";
import { manifestText, manifestValue } from "./read-manifest.ts";

const ManifestQuery = Type.Object({
  format: Type.Optional(
    Type.Union([Type.Literal("yaml"), Type.Literal("json")], {
      description: "`yaml` (default) is the text with its comments, `json` what it says.",
    }),
  ),
});

export interface AgentRoutesDeps extends ChangeDeps {
  catalog: AgentCatalog;
  runs: RunPorts;
}

/** Routes that list, read, pause, resume and delete agents; the routes that take a manifest are in `manifest-routes.ts`. */
export const agentRoutes = (deps: AgentRoutesDeps) => {
  const { catalog, paused } = deps;
  const { maskKnown } = deps.runs;
  const detailOf = (name: string) => presentDetail(catalog, catalog.getEntry(name));
  return new Elysia({ prefix: "/v1/agents" })
    .use(jsonRoutes())
    .get("", async () => ({ agents: catalog.list().map((entry) => presentSummary(catalog, entry)) }), {
      response: AgentList,
      detail: { tags: ["agents"], operationId: "listAgents", summary: "Lists the loaded agents" },
    })
    .get("/:name", async ({ params }) => detailOf(params.name), {
      response: AgentDetail,
      detail: { tags: ["agents"], operationId: "getAgent", summary: "Returns an agent" },
    })
    .get(
      "/:name/manifest",
      async ({ params, query }) => {
        const entry = catalog.getEntry(params.name);
        if (query.format === "json") return Response.json(manifestValue(entry, maskKnown));
        const headers = { "content-type": "application/yaml; charset=utf-8" };
        return new Response(manifestText(entry, maskKnown), { headers });
      },
      {
        query: ManifestQuery,
        detail: {
          tags: ["agents"],
          operationId: "getAgentManifest",
          summary: "Returns the latest manifest of an agent",
          description:
            "As it was written, its variables not put in. It may have been refused; the agent's page says so.",
          responses: {
            200: {
              description: "The manifest.",
              content: {
                "application/yaml": { schema: { type: "string" } },
                "application/json": { schema: { type: "object" } },
              },
            },
          },
        },
      },
    )
    .post(
      "/:name/pause",
      async ({ params }) => {
        catalog.getEntry(params.name);
        paused.set(params.name, true);
        return detailOf(params.name);
      },
      {
        response: AgentDetail,
        detail: {
          tags: ["agents"],
          operationId: "pauseAgent",
          summary: "Pauses an agent",
          description:
            "Runs in flight end as ever. Without `PLATFORM_PERSIST_AGENTS=1` a restart forgets it.",
        },
      },
    )
    .post(
      "/:name/deploy",
      async ({ params }) => {
        catalog.getLoaded(params.name);
        paused.set(params.name, false);
        return detailOf(params.name);
      },
      {
        response: AgentDetail,
        detail: { tags: ["agents"], operationId: "deployAgent", summary: "Resumes a paused agent" },
      },
    )
    .delete("/:name", async ({ params, call }) => deleteAgent(deps, params.name, senderIn(call)), {
      response: AgentDeleted,
      detail: {
        tags: ["agents"],
        operationId: "deleteAgent",
        summary: "Deletes an agent and its conversations",
        description:
          "An agent of this machine's owner is deleted by the owner alone: 403 `owner_only`. An agent that comes from a file is deleted with it, if `PLATFORM_PERSIST_AGENTS=1` allows that; otherwise 409 `agent_in_file`.",
      },
    });
};
