import { Elysia } from "elysia";
import { AgentDetail, ManifestCheck } from "../../../contracts/daemon/agents.ts";
import type { RunPorts } from "../../../engine/run/run.ts";
import {
  type ManifestBody,
  manifestRequestBody,
  readManifestBody,
} from "../../../http/bodies/manifest-body.ts";
import { IfMatch, matchIn } from "../../../http/entity-tag.ts";
import { callContext } from "../../../http/route-plugins.ts";
import { senderIn } from "../manifests/read-sent.ts";
import type { AgentCatalog } from "./agent-catalog.ts";
import type { ChangeDeps } from "./change-agents.ts";
import { createAgent, originIn, replaceAgent, validateAgent } from "./change-agents.ts";
import { presentDetail } from "./present-agent.ts";
import { manifestTag } from "./read-manifest.ts";

/** The parser sets the body; a route without a schema has no type for it. */
const manifestIn = (body: unknown) => body as ManifestBody;

const requestBody = manifestRequestBody("Agent manifest. `argosy schema agent` prints its JSON Schema.");

/** Routes whose body is an agent's manifest, in YAML or JSON. */
export const manifestRoutes = (deps: ChangeDeps & { catalog: AgentCatalog; runs: RunPorts }) => {
  const { catalog } = deps;
  const { maskKnown } = deps.runs;
  return new Elysia({ prefix: "/v1/agents" })
    .use(callContext())
    .onParse(({ request, call }) => readManifestBody(request, call))
    .post(
      "",
      async ({ body, call, set }) => {
        const entry = await createAgent(deps, manifestIn(body), senderIn(call), originIn(call));
        set.status = 201;
        set.headers.etag = manifestTag(entry, maskKnown);
        return presentDetail(catalog, entry);
      },
      {
        response: { 201: AgentDetail },
        detail: {
          tags: ["agents"],
          operationId: "createAgent",
          summary: "Creates an agent",
          description:
            "With `PLATFORM_PERSIST_AGENTS=1`, the agent is written to `agents/<name>.agent.yaml`. Otherwise it is kept in memory only (`persisted: false`). Submitted manifests can't read environment variables. Only the owner of this machine may refer to programs, databases, keys, private networks, and files outside `<workspace>/files`.",
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
      async ({ params, body, call, request, set }) => {
        const sender = senderIn(call);
        const match = matchIn(request.headers);
        const { entry, isNew } = await replaceAgent(deps, params.name, manifestIn(body), sender, {
          origin: originIn(call),
          admit: (present) =>
            match(present?.text === undefined ? undefined : manifestTag(present, maskKnown)),
        });
        set.status = isNew ? 201 : 200;
        set.headers.etag = manifestTag(entry, maskKnown);
        return presentDetail(catalog, entry);
      },
      {
        headers: IfMatch,
        response: { 200: AgentDetail, 201: AgentDetail },
        detail: {
          tags: ["agents"],
          operationId: "replaceAgent",
          summary: "Creates or replaces an agent",
          description:
            "A replaced agent keeps its conversations. Only the owner of this machine can replace the owner's agents; other callers get 403 `owner_only`. With `PLATFORM_PERSIST_AGENTS=1`, an agent loaded from a file is rewritten in that file. Otherwise the request fails with 409 `agent_in_file`.",
          requestBody,
        },
      },
    );
};
