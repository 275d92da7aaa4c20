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
import { manifestTag, manifestText, manifestValue } from "./read-manifest.ts";

const ManifestQuery = Type.Object({
  format: Type.Optional(
    Type.Union([Type.Literal("yaml"), Type.Literal("json")], {
      description:
        "Format of the manifest. `yaml`: original text with comments; `json`: parsed content. Default: `yaml`.",
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
  const detailOf = async (name: string) => presentDetail(catalog, await catalog.getEntry(name));
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
        const entry = await catalog.getEntry(params.name);
        const tag = { etag: manifestTag(entry, maskKnown) };
        if (query.format === "json") return Response.json(manifestValue(entry, maskKnown), { headers: tag });
        const headers = { "content-type": "application/yaml; charset=utf-8", ...tag };
        return new Response(manifestText(entry, maskKnown), { headers });
      },
      {
        query: ManifestQuery,
        detail: {
          tags: ["agents"],
          operationId: "getAgentManifest",
          summary: "Returns the latest manifest of an agent",
          description:
            "Manifest as written, without variable substitution. Rejected manifests are also returned. The agent's details show the rejection. The answer's ETag, sent as `If-Match` with `PUT /v1/agents/{name}`, replaces exactly this version.",
          responses: {
            200: {
              description: "Manifest of the agent.",
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
        await catalog.getEntry(params.name);
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
            "Running requests are not affected. Without `PLATFORM_PERSIST_AGENTS=1`, a restart resumes the agent.",
        },
      },
    )
    .post(
      "/:name/deploy",
      async ({ params }) => {
        await catalog.getLoaded(params.name);
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
          "Only the owner of this machine can delete the owner's agents; other callers get 403 `owner_only`. With `PLATFORM_PERSIST_AGENTS=1`, an agent loaded from a file is deleted together with the file. Otherwise the request fails with 409 `agent_in_file`.",
      },
    });
};
