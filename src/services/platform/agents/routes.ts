import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  AgentVersionDetail,
  AgentVersionList,
  ownerHeader,
  PlatformAgentDetail,
  PlatformAgentList,
  SpecDiff,
} from "../../../contracts/platform/agents.ts";
import { ShownName } from "../../../contracts/platform/shown-name.ts";
import {
  type ManifestBody,
  manifestRequestBody,
  readManifestBody,
} from "../../../http/bodies/manifest-body.ts";
import { IfMatch, matchIn } from "../../../http/entity-tag.ts";
import { idCursor, type PageRequest, pageOf, readIdCursor, wholeListLimit } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { countSteps, othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { type TenantActor, tenantCredential } from "../auth/credentials.ts";
import { limitTenantStorage } from "../room/tenant-room.ts";
import type { StoreDeps } from "../tables.ts";
import { limitTenantWrites } from "../tenants/management-limit.ts";
import { tenantOwner } from "../tenants/tenant-owner.ts";
import { deleteAgent } from "./delete-agent.ts";
import { presentAgent, presentAgentDetail } from "./present-agent.ts";
import { readSpec } from "./read-spec.ts";
import { diffVersions, getVersion, readVersion, readVersions } from "./read-versions.ts";
import type { Registrations } from "./registrations.ts";
import type { PublishDeps } from "./release-gate.ts";
import { type AgentChange, agentTag, createAgent, getAgent, replaceAgent } from "./save-agent.ts";
import { findVersion, listAgents } from "./store.ts";

const tags = ["agents"];

/** The parser sets the body; a route without a schema has no type for it. */
const manifestIn = (body: unknown) => body as ManifestBody;

const requestBody = manifestRequestBody("Agent manifest. `argosy schema agent` prints its JSON Schema.");

const ReleaseQuery = Type.Object({
  release_override: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: "Reason to publish a version that its release gate refuses; it is audited.",
    }),
  ),
});

const SaveQuery = Type.Object({
  subscription_id: Type.Optional(
    Type.String({
      maxLength: 64,
      description: "Subscription whose credits the agent's runs use. Empty: the base plan's only.",
    }),
  ),
  ...ReleaseQuery.properties,
  note: Type.Optional(ShownName(200)),
});

/** Routes whose body is a spec. */
export const specRoutes = (deps: PublishDeps) =>
  new Elysia({ prefix: "/api/v1/agents" })
    .use(tenantCredential(deps, "agents"))
    .derive(limitTenantWrites(deps))
    .derive(limitTenantStorage(deps))
    .onParse(({ request, call }) => readManifestBody(request, call))
    .post(
      "",
      async ({ tenant, body, query, set }) => {
        const spec = await readSpec(manifestIn(body));
        const agent = await createAgent(deps, tenant, spec, changeOf(query));
        set.status = 201;
        return tagged(agent, set);
      },
      {
        query: SaveQuery,
        response: { 201: PlatformAgentDetail },
        detail: {
          tags,
          operationId: "createAgent",
          summary: "Creates an agent with version 1",
          requestBody,
        },
      },
    )
    .put(
      "/:name",
      async ({ tenant, params, body, query, request, set }) => {
        const spec = await readSpec(manifestIn(body));
        const change = { ...changeOf(query), match: matchIn(request.headers) };
        return tagged(await replaceAgent(deps, tenant, params.name, spec, change), set);
      },
      {
        headers: IfMatch,
        query: SaveQuery,
        response: PlatformAgentDetail,
        detail: {
          tags,
          operationId: "replaceAgent",
          summary: "Adds a version and makes it current",
          requestBody,
        },
      },
    );

/** Routes for a tenant's agents and their versions. */
export const agentRoutes = (deps: PublishDeps, registrations: Registrations) =>
  new Elysia({ prefix: "/api/v1/agents" })
    .use(jsonRoutes())
    .use(tenantCredential(deps, "agents"))
    .derive(limitTenantWrites(deps))
    .derive(limitTenantStorage(deps))
    .get("", async ({ tenant, query }) => listLive(deps, tenant, query), {
      query: Type.Object({ limit: wholeListLimit(), cursor: idCursor }),
      response: PlatformAgentList,
      detail: { tags, operationId: "listAgents", summary: "Lists the tenant's agents, newest first" },
    })
    .get(
      "/:name",
      async ({ tenant, params, set }) => {
        const agent = await readAgent(deps, tenant, params.name);
        // Services that share something among tenants give turns by it.
        set.headers[ownerHeader] = await tenantOwner(deps, tenant.tenantId);
        return tagged(agent, set);
      },
      {
        response: PlatformAgentDetail,
        detail: { tags, operationId: "getAgent", summary: "Returns an agent with its current spec" },
      },
    )
    .delete(
      "/:name",
      async ({ tenant, params, set }) => {
        await deleteAgent(deps, tenant, params.name);
        registrations.forget(tenant.tenantId);
        set.status = 204;
      },
      {
        response: { 204: Type.Void() },
        detail: {
          tags,
          operationId: "deleteAgent",
          summary: "Deletes an agent; its history stays readable by id",
        },
      },
    )
    .get("/:name/versions", async ({ tenant, params }) => readVersions(deps, tenant, params), {
      response: AgentVersionList,
      detail: { tags, operationId: "listVersions", summary: "Lists the versions of an agent, newest first" },
    })
    .get(
      "/:name/versions/:number",
      async ({ tenant, params }) => readVersion(deps, tenant, params, params.number),
      {
        response: AgentVersionDetail,
        detail: { tags, operationId: "getVersion", summary: "Returns a version with its spec" },
      },
    )
    .get(
      "/:name/versions/:number/diff/:other",
      async ({ tenant, params }) =>
        diffVersions(deps, tenant, params, { from: params.number, to: params.other }),
      {
        response: SpecDiff,
        detail: { tags, operationId: "diffVersions", summary: "Compares two versions" },
      },
    )
    .post(
      "/:name/versions/:number/restore",
      async ({ tenant, params, query, request, set }) => {
        const change = { ...changeOf(query), match: matchIn(request.headers) };
        const agent = await restoreVersion(deps, tenant, params, change);
        set.status = 201;
        return tagged(agent, set);
      },
      {
        headers: IfMatch,
        query: ReleaseQuery,
        response: { 201: PlatformAgentDetail },
        detail: {
          tags,
          operationId: "restoreVersion",
          summary: "Restores an earlier version as a new version",
        },
      },
    )
    .get("/by-id/:id/versions", async ({ tenant, params }) => readVersions(deps, tenant, params), {
      response: AgentVersionList,
      detail: {
        tags,
        operationId: "listVersionsById",
        summary: "Lists the versions of an agent by id, deleted agents included",
      },
    })
    .get(
      "/by-id/:id/versions/:number",
      async ({ tenant, params }) => readVersion(deps, tenant, { id: params.id }, params.number),
      {
        response: AgentVersionDetail,
        detail: {
          tags,
          operationId: "getVersionById",
          summary: "Returns a version of an agent by the agent's id",
        },
      },
    );

/** Reading a spec of 1 MiB from its row takes up to 5 ms. */
const stepsOfSpec = 250_000;

async function listLive(
  { storage: { read, tables } }: StoreDeps,
  { tenantId }: TenantActor,
  { limit, cursor }: PageRequest,
): Promise<PlatformAgentList> {
  const agents: PlatformAgentList["agents"] = [];
  const rows = await listAgents(read, tables, tenantId, { before: readIdCursor(cursor), limit: limit + 1 });
  const { page, next } = pageOf(rows, limit, ({ id }) => id);
  for (const agent of page) {
    const version = await findVersion(read, tables, agent, agent.currentVersion);
    agents.push(presentAgent(agent, version?.spec ?? {}));
    if (countSteps(stepsOfSpec)) await othersTurn();
  }
  return { agents, ...next };
}

async function readAgent(
  { storage: { read, tables } }: StoreDeps,
  { tenantId }: TenantActor,
  name: string,
): Promise<PlatformAgentDetail> {
  const agent = await getAgent(read, tables, tenantId, name);
  const version = await findVersion(read, tables, agent, agent.currentVersion);
  return presentAgentDetail(agent, version?.spec ?? {});
}

async function restoreVersion(
  deps: PublishDeps,
  tenant: TenantActor,
  { name, number }: { name: string; number: string },
  change: AgentChange,
): Promise<PlatformAgentDetail> {
  const { read, tables } = deps.storage;
  const { spec } = await getVersion(deps, await getAgent(read, tables, tenant.tenantId, name), number);
  return replaceAgent(deps, tenant, name, await readSpec({ format: "json", value: spec }), {
    ...change,
    note: change.note ?? `Restored version ${number}.`,
  });
}

function changeOf(query: {
  subscription_id?: string;
  release_override?: string;
  note?: string;
}): AgentChange {
  const { subscription_id: id, release_override: releaseOverride, note } = query;
  return { subscriptionId: id === "" ? null : id, releaseOverride, note };
}

/** Sets the ETag of an answer. */
function tagged(agent: PlatformAgentDetail, set: { headers: Record<string, string | number> }) {
  set.headers.etag = agentTag({ id: agent.id, currentVersion: agent.current_version });
  return agent;
}
