import { Elysia } from "elysia";
import { AgentDetail, ManifestCheck } from "../../../contracts/daemon/agents.ts";
import {
  type ManifestBody,
  manifestRequestBody,
  readManifestBody,
} from "../../../http/bodies/manifest-body.ts";
import { callContext } from "../../../http/route-plugins.ts";
import { senderIn } from "../manifests/read-sent.ts";
import type { AgentCatalog } from "./agent-catalog.ts";
import type { ChangeDeps } from "./change-agents.ts";
import { createAgent, replaceAgent, validateAgent } from "./change-agents.ts";
import { presentDetail } from "./present-agent.ts";

/** The parser sets the body; a route without a schema has no type for it. */
const manifestIn = (body: unknown) => body as ManifestBody;

const requestBody = manifestRequestBody("An agent's manifest; `argosy schema agent` prints its JSON Schema.");

/** Routes whose body is an agent's manifest, in YAML or JSON. */
export const manifestRoutes = (deps: ChangeDeps & { catalog: AgentCatalog }) => {
  const { catalog } = deps;
  return new Elysia({ prefix: "/v1/agents" })
    .use(callContext())
    .onParse(({ request, call }) => readManifestBody(request, call))
    .post(
      "",
      async ({ body, call, set }) => {
        const entry = await createAgent(deps, manifestIn(body), senderIn(call));
        set.status = 201;
        return presentDetail(catalog, entry);
      },
      {
        response: { 201: AgentDetail },
        detail: {
          tags: ["agents"],
          operationId: "createAgent",
          summary: "Creates an agent",
          description:
            "It lives in memory (`persisted: false`) unless `PLATFORM_PERSIST_AGENTS=1` lets it be written to `agents/<name>.agent.yaml`. A manifest that is sent can't read variables. Only this machine's owner may name programs, databases, keys, private networks, and files outside of `<workspace>/files`.",
          requestBody,
        },
      },
    )
    .post("/validate", async ({ body, call }) => validateAgent(deps, manifestIn(body), senderIn(call)), {
      response: ManifestCheck,
      detail: {
        tags: ["agents"],
        operationId: "validateAgent",
        summary: "Validates a manifest without storing it",
        requestBody,
      },
    })
    .put(
      "/:name",
      async ({ params, body, call, set }) => {
        const sender = senderIn(call);
        const { entry, isNew } = await replaceAgent(deps, params.name, manifestIn(body), sender);
        set.status = isNew ? 201 : 200;
        return presentDetail(catalog, entry);
      },
      {
        response: { 200: AgentDetail, 201: AgentDetail },
        detail: {
          tags: ["agents"],
          operationId: "replaceAgent",
          summary: "Creates or replaces an agent",
          description:
            "It keeps its conversations. An agent of this machine's owner is replaced by the owner alone: 403 `owner_only`. An agent that comes from a file is rewritten there, if `PLATFORM_PERSIST_AGENTS=1` allows that; otherwise 409 `agent_in_file`.",
          requestBody,
        },
      },
    );
};
