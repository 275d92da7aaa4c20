import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  AgentDraft,
  AgentItems,
  AgentRename,
  CloudAgent,
  CloudCatalog,
  ConfigCheck,
  Deployed,
  Paused,
} from "../../../contracts/cloud/agents.ts";
import { OrgReleaseGate, ReleaseRules } from "../../../contracts/cloud/release.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { IfMatch, matchIn } from "../../../http/entity-tag.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { countSteps, inPieces, othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { writeYaml } from "../../../manifest/yaml/write-yaml.ts";
import { limitChanges } from "../access/change-limit.ts";
import { type OrgActor, orgCredential } from "../access/credentials.ts";
import { limitOrgStorage } from "../room/org-room.ts";
import { readCatalog } from "./catalog.ts";
import { checkAgent } from "./check-agent.ts";
import { deleteAgent } from "./delete-agent.ts";
import { deployAgent, pauseAgent } from "./deploy-agent.ts";
import type { CloudAgentDeps } from "./deps.ts";
import { changeDraft, discardDraft, publishDraft, readDraft } from "./draft-agent.ts";
import { formerNamesOf } from "./former-names.ts";
import { presentAgent, presentItem } from "./present-agent.ts";
import { putRules, type ReleaseDeps, readGate } from "./release-gate.ts";
import { type RenameDeps, renameAgent } from "./rename-agent.ts";
import { agentNames, findListed, getAgent } from "./store.ts";
import { compileManifest } from "./wizard/compile-manifest.ts";
import { agentTag, createAgent, updateAgent } from "./write-agent.ts";

const tags = ["agents"];
const draftPath = "/agents/:name/draft";

/** Any object: the handler tells all faults of a config at once. */
const ConfigBody = Type.Object(
  {},
  { additionalProperties: true, description: "A WizardConfig; see docs/cloud.md." },
);

const DeployQuery = Type.Object({
  release_override: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description:
        "Reason to deploy a version that the release gate refuses; it is audited. Only owners and admins.",
    }),
  ),
});

/** Routes for an org's agents. */
export const agentRoutes = (deps: ReleaseDeps & RenameDeps) =>
  new Elysia({ prefix: "/api/v1/orgs/:slug" })
    .use(jsonRoutes())
    .use(orgCredential(deps))
    .derive(limitChanges(deps))
    .derive(limitOrgStorage(deps))
    .get("/catalog", async () => readCatalog(deps.runtime), {
      response: CloudCatalog,
      detail: {
        tags,
        operationId: "readCatalog",
        summary: "Providers, tools and guardrails that a config may name",
      },
    })
    .get("/agents", async ({ actor }) => listAgents(deps, actor), {
      response: AgentItems,
      detail: { tags, operationId: "listAgents", summary: "Agents of the org, newest first" },
    })
    .post(
      "/agents",
      async ({ actor, body, set }) => {
        const agent = await createAgent(deps, actor, body);
        set.status = 201;
        return tagged(agent, set);
      },
      {
        ...jsonBody(ConfigBody),
        response: { 201: CloudAgent },
        detail: { tags, operationId: "createAgent", summary: "Makes an agent, as a draft" },
      },
    )
    .post("/check", async ({ actor, body }) => checkAgent(deps, actor, body), {
      ...jsonBody(ConfigBody),
      response: ConfigCheck,
      detail: {
        tags,
        operationId: "checkConfig",
        summary: "Checks a new agent and shows its manifest; stores nothing",
      },
    })
    .get(
      "/agents/:name",
      async ({ actor, params, set }) => tagged(await readAgent(deps, actor, params.name), set),
      {
        response: CloudAgent,
        detail: { tags, operationId: "getAgent", summary: "An agent with its config" },
      },
    )
    .put(
      "/agents/:name",
      async ({ actor, params, body, request, set }) =>
        tagged(await updateAgent(deps, actor, params.name, body, matchIn(request.headers)), set),
      {
        ...jsonBody(ConfigBody),
        headers: IfMatch,
        response: CloudAgent,
        detail: {
          tags,
          operationId: "updateAgent",
          summary: "Merges a change into the config, key by key within a step; null removes a key",
        },
      },
    )
    .delete(
      "/agents/:name",
      async ({ actor, params, set }) => {
        await deleteAgent(deps, actor, params.name);
        set.status = 204;
      },
      {
        response: { 204: Type.Void() },
        detail: { tags, operationId: "deleteAgent", summary: "Deletes an agent and its memory" },
      },
    )
    .get(
      "/agents/:name/manifest",
      async ({ actor, params, set }) => {
        const agent = await getAgent(deps.storage.read, deps.storage.tables, actor.org.id, params.name);
        set.headers["content-type"] = "application/yaml; charset=utf-8";
        return inPieces(writeYaml(compileManifest(agent)));
      },
      {
        response: Type.String(),
        detail: {
          tags,
          operationId: "getManifest",
          summary: "The manifest that the config compiles to, as YAML",
        },
      },
    )
    .post(
      "/agents/:name/rename",
      async ({ actor, params, body, set }) =>
        tagged(await renameAgent(deps, actor, params.name, body.name), set),
      {
        ...jsonBody(AgentRename),
        response: CloudAgent,
        detail: {
          tags,
          operationId: "renameAgent",
          summary: "Gives an agent another name; memory, usage and evals stay with it",
        },
      },
    )
    .get(draftPath, async ({ actor, params }) => readDraft(deps, actor, params.name), {
      response: AgentDraft,
      detail: { tags, operationId: "getDraft", summary: "The next version of an agent, not in force yet" },
    })
    .put(
      draftPath,
      async ({ actor, params, body, request }) =>
        changeDraft(deps, actor, params.name, body, matchIn(request.headers)),
      {
        ...jsonBody(ConfigBody),
        headers: IfMatch,
        response: AgentDraft,
        detail: {
          tags,
          operationId: "changeDraft",
          summary: "Merges a change into the draft; runs use the version in force until it is published",
        },
      },
    )
    .delete(
      draftPath,
      async ({ actor, params, set }) => {
        await discardDraft(deps, actor, params.name);
        set.status = 204;
      },
      {
        response: { 204: Type.Void() },
        detail: { tags, operationId: "discardDraft", summary: "Deletes the draft" },
      },
    )
    .post(
      `${draftPath}/publish`,
      async ({ actor, params, query }) => publishDraft(deps, actor, params.name, query.release_override),
      {
        query: DeployQuery,
        response: Deployed,
        detail: {
          tags,
          operationId: "publishDraft",
          summary: "Validates the draft and puts it in force without a pause",
        },
      },
    )
    .get("/agents/:name/release", async ({ actor, params }) => readGate(deps, actor, params.name), {
      response: OrgReleaseGate,
      detail: {
        tags,
        operationId: "getReleaseGate",
        summary: "The agent's release gate, and whether it accepts the agent as it is",
      },
    })
    .put(
      "/agents/:name/release",
      async ({ actor, params, body }) => putRules(deps, actor, params.name, body),
      {
        ...jsonBody(ReleaseRules),
        response: OrgReleaseGate,
        detail: {
          tags,
          operationId: "putReleaseRules",
          summary: "Sets the evals that a version must pass before it is deployed",
        },
      },
    )
    .post(
      "/agents/:name/deploy",
      async ({ actor, params, query }) => deployAgent(deps, actor, params.name, query.release_override),
      {
        query: DeployQuery,
        response: Deployed,
        detail: { tags, operationId: "deployAgent", summary: "Validates an agent and lets it accept runs" },
      },
    )
    .post("/agents/:name/pause", async ({ actor, params }) => pauseAgent(deps, actor, params.name), {
      response: Paused,
      detail: { tags, operationId: "pauseAgent", summary: "Stops an agent from accepting runs" },
    });

/** Sets the ETag of an answer. */
function tagged(agent: CloudAgent, set: { headers: Record<string, string | number> }): CloudAgent {
  set.headers.etag = agentTag(agent);
  return agent;
}

/** Reading a config of 1 MiB from its row takes up to 5 ms. */
const stepsOfConfig = 250_000;

async function listAgents(
  { storage: { read, tables } }: CloudAgentDeps,
  { org }: OrgActor,
): Promise<AgentItems> {
  const agents: AgentItems["agents"] = [];
  for (const { name } of await agentNames(read, tables, org.id)) {
    const agent = await findListed(read, tables, org.id, name);
    if (agent !== undefined) agents.push(presentItem(agent));
    if (countSteps(stepsOfConfig)) await othersTurn();
  }
  return { agents };
}

async function readAgent({ storage: { read, tables } }: CloudAgentDeps, { org }: OrgActor, name: string) {
  const agent = await getAgent(read, tables, org.id, name);
  const former = await formerNamesOf(read, tables, agent);
  return {
    ...presentAgent(org.slug, agent),
    ...(former.length > 0 && {
      former_names: former.map((one) => ({ name: one.name, renamed_at: one.renamedAt.toISOString() })),
    }),
  };
}
