import { expect, test } from "bun:test";
import type { OpenApiDocument } from "../../src/http/openapi/openapi-document.ts";
import { startCloud } from "../support/cloud.ts";
import { startDaemon } from "../support/daemon.ts";
import { startGateway } from "../support/gateway.ts";
import { startPlatform } from "../support/platform.ts";
import { sqliteEngine } from "../support/storage-engines.ts";
import { startTranslator } from "../support/translator.ts";

/** Lists without pages and the reason why each is short. A new list needs `limit` or a row here. */
const unpaged: Record<string, Record<string, string>> = {
  daemon: {
    "/v1/system/providers": "declared by the operator",
    "/v1/system/doctor": "one entry per checkup",
    "/v1/system/workers": "workers are part of the program, leases are limited to 500 a service",
    "/v1/system/backups": "the newest 100",
    "/v1/system/storage": "databases and folders of one process, 20 tables, 90 days",
    "/v1/system/providers/stored": "declared by the operator",
    "/v1/system/providers/{name}/models": "the provider's own list, read within a size limit",
    "/v1/agents": "files in the operator's folder",
    "/v1/agents/{name}": "parts of one manifest, which is at most 1 MiB",
    "/v1/agents/{name}/canary": "steps of one canary, with one verdict at most per `min_runs` runs",
    "/v1/agents/{name}/versions": "kept versions of one agent are limited",
    "/v1/memory/{agent}/context/{session}": "parts of one prompt",
    "/v1/tools": "files in the operator's folder",
    "/v1/skills": "200 folders of the operator's workspace",
    "/v1/tools/builtin": "part of the program",
    "/v1/rag/collections": "named by pipelines in the operator's folder",
    "/v1/rag/collections/{collection}": "pipelines in the operator's folder",
    "/v1/rag/collections/{collection}/documents/{id}": "what one document lost, by kind",
    "/v1/rag/jobs/{id}": "documents of one upload",
    "/v1/rag/pipelines": "files in the operator's folder",
    "/v1/rag/pipelines/{name}": "parts of one manifest",
    "/v1/triggers": "32 an agent, in files of the operator's folder",
    "/v1/traces/{trace_id}": "spans of one run are limited",
    "/v1/responses/{id}": "one answer, with its items",
    "/v1/stats/runs": "buckets of one chart are limited",
    "/v1/cassettes/{id}": "parts of one recording, whose size is limited",
    "/v1/evals": "files in the operator's folder",
    "/v1/evals/drafts/{trace_id}": "tools of one run",
    "/v1/evals/{name}": "parts of one manifest",
    "/v1/evals/{name}/cases/{id}/history": "the newest 50 runs",
    "/v1/eval-runs/{id}": "targets of one call",
    "/v1/costs/history": "intervals of one chart are limited",
    "/v1/costs/budgets": "declared by the operator",
    "/v1/ml/models/{name}": "parts of one model",
    "/v1/mesh/state": "nodes of the operator",
    "/v1/gallery": "part of the program",
    "/v1/models": "files in the operator's folder",
  },
  platform: {
    "/api/v1/me/sessions": "the 200 last used",
    "/api/v1/admin/email-changes": "the 500 oldest; each is open for a week",
    "/api/v1/tenants": "a person may create three in a month and join 100",
    "/api/v1/tenants/{id}/keys": "a tenant may have 100 active keys",
    "/api/v1/tenants/{id}/members": "a tenant may have 100 members and open invitations",
    "/api/v1/tenants/{id}/invitations": "a tenant may have 100 members and open invitations",
    "/api/v1/agents/{name}/versions": "100 kept versions",
    "/api/v1/agents/{name}/versions/{number}/diff/{other}": "differences of two manifests",
    "/api/v1/agents/by-id/{id}/versions": "100 kept versions",
    "/api/v1/agents/{name}/invocations/{id}/trace": "spans of one run are limited",
    "/api/v1/connections": "a tenant may have 100",
    "/api/v1/collections": "a tenant may have 100",
    "/api/v1/collections/{collection}/documents/{id}": "what one document lost, by kind",
    "/api/v1/catalog": "part of the program",
    "/api/v1/evals": "a tenant may have 100",
    "/api/v1/evals/{name}": "agents whose gates require one eval",
    "/api/v1/eval-runs/{id}": "two numbers of an interval",
    "/api/v1/usage": "the 500 agents and 200 models with the most usage",
    "/api/v1/usage/days": "days of one month, each with 100 agents and models at most",
    "/api/v1/usage/attribution": "the 1,000 rows with the most credits",
    "/api/v1/admin/usage/attribution": "the 1,000 rows with the most credits",
    "/api/v1/admin/revenue": "at most 36 months",
    "/api/v1/admin/tariffs": "created by operators",
    "/api/v1/admin/models": "read from a limited number of runs and agents",
    "/api/v1/admin/plans": "created by operators",
    "/api/v1/admin/tenants/{id}/statement": "subscriptions of one tenant",
    "/api/v1/statement": "subscriptions of one tenant",
    "/api/v1/admin/usage": "totals of one month, for operators",
    "/api/v1/admin/tenants/{id}": "created by operators",
    "/api/v1/admin/invocations/{id}": "models of one run",
    "/api/v1/admin/invocations/{id}/trace": "spans of one run are limited",
    "/api/v1/admin/invoices/{id}": "lines and taxes of one invoice",
    "/api/v1/admin/tenants/{id}/invoice-customer": "at most five taxes",
    "/api/v1/admin/webhooks": "at most 20",
    "/api/v1/invoices/{id}": "lines and taxes of one invoice",
    "/api/v1/webhooks": "at most 20",
  },
  cloud: {
    "/api/v1/me/sessions": "the 200 last used",
    "/api/v1/orgs/{slug}/members": "the plan limits the members of an org",
    "/api/v1/invitations": "an account has one org, which may invite an address once",
    "/api/v1/orgs/{slug}/keys": "an org may have 100 active keys",
    "/api/v1/orgs/{slug}/providers": "one per provider",
    "/api/v1/orgs/{slug}/catalog": "part of the program",
    "/api/v1/orgs/{slug}/agents": "the plan limits the agents of an org",
    "/api/v1/orgs/{slug}/agents/{name}": "former names of one agent",
    "/api/v1/orgs/{slug}/agents/{name}/release": "an agent may require 16 evals",
    "/api/v1/orgs/{slug}/evals": "an org may have 100 evals",
    "/api/v1/orgs/{slug}/evals/{name}": "agents whose gates require one eval",
    "/api/v1/orgs/{slug}/eval-runs/{id}": "two numbers of an interval",
    "/api/v1/orgs/{slug}/usage":
      "the 500 agents with the most runs, 500 models and keys with the highest cost, and 90 days",
  },
  gateway: {
    "/admin/setup": "one per channel",
    "/admin/stats": "days of one period",
    "/admin/reports": "at most 366 days, and the 500 persons and agents with the most messages",
    "/admin/canned": "at most 500 replies of a tenant",
    "/admin/contacts/{id}": "addresses of one person, and the newest 50 notes",
    "/admin/conversations/{id}": "at most 20 labels",
    "/admin/conversations/{id}/entries": "the newest 500",
    "/admin/emulator/outbox": "the newest messages",
    "/admin/webchat/hilo": "the newest messages",
    "/admin/templates": "the provider's own list, of which ten pages are read",
    "/admin/webchat/sites/{cuenta}": "origins of one site are limited",
    "/webchat/{cuenta}/messages": "the newest messages",
  },
  translator: {
    "/v1/coverage": "part of the program",
    "/v1/specs/{kind}/{name}/drift": "resources of one manifest",
    "/v1/accounts": "declared by the operator",
  },
};

const starts = {
  daemon: () => startDaemon(),
  platform: () => startPlatform(sqliteEngine),
  cloud: () => startCloud(sqliteEngine),
  gateway: () => startGateway(sqliteEngine),
  translator: () => startTranslator(sqliteEngine),
};

test.each(Object.entries(starts))(
  "every list of the %s has pages, or a reason for its length",
  async (name, start) => {
    await using service = await start();
    const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApiDocument;
    const lists = listsOf(document).filter(({ path }) => path !== "/readyz");
    expect(lists.length).toBeGreaterThan(4);
    const whole = lists.filter(({ isPaged }) => !isPaged).map(({ path }) => path);
    expect(whole.sort()).toEqual(Object.keys(unpaged[name] ?? {}).sort());
  },
);

interface Schema {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
}

/** Returns the routes whose answer has an array, and says of each if it takes a number of results. */
function listsOf({ paths, components }: OpenApiDocument): { path: string; isPaged: boolean }[] {
  const schemas = components.schemas as Record<string, Schema>;
  const resolved = (schema: Schema | undefined): Schema | undefined =>
    schema?.$ref === undefined ? schema : resolved(schemas[schema.$ref.split("/").at(-1) ?? ""]);
  return Object.entries(paths).flatMap(([path, { get }]) => {
    const sent = resolved(get?.responses["200"]?.content?.["application/json"]?.schema as Schema | undefined);
    const parts = [sent, ...Object.values(sent?.properties ?? {}).map(resolved)];
    if (!parts.some((part) => part?.type === "array")) return [];
    return [
      { path, isPaged: (get?.parameters ?? []).some(({ name }) => name === "limit" || name === "top_k") },
    ];
  });
}
