import type { RuntimeCatalog } from "../runtime/catalog.ts";
import type {
  AgentVersionDetail,
  AgentVersionList,
  PlatformAgentDetail,
  PlatformAgentList,
  SpecDiff,
} from "./agents.ts";
import { type PlatformCalls, segment, withQuery } from "./call-platform.ts";
import type { Connection, ConnectionInput, ConnectionList } from "./connections.ts";
import type { MessageInput, MessageQueued } from "./messages.ts";
import type {
  AgentInvocations,
  AgentMetrics,
  DailyUsage,
  InvocationDetail,
  TenantInvocations,
  UsageReport,
} from "./observability.ts";
import type { TenantSubscription, UsageEvent, UsageEventInput } from "./subscriptions.ts";

export interface PageQuery {
  limit?: number;
  cursor?: string;
}

/** A manifest: an object is sent as JSON, a string as YAML. */
export type SentSpec = object | string;

/** Methods for a tenant's programs and people, with an API key, or an access token and `X-Tenant-ID`. */
export function tenantClient({ json }: PlatformCalls) {
  const agents = "/api/v1/agents";
  const agentPath = (name: string) => `${agents}/${segment(name)}`;
  const specOf = (spec: SentSpec) =>
    typeof spec === "string" ? { text: spec, type: "application/yaml" } : { body: spec };
  return {
    listAgents: () => json<PlatformAgentList>("GET", agents),
    getAgent: (name: string) => json<PlatformAgentDetail>("GET", agentPath(name)),
    /** Stores version 1 of a new agent. */
    createAgent: (spec: SentSpec, subscription_id?: string) =>
      json<PlatformAgentDetail>("POST", withQuery(agents, { subscription_id }), specOf(spec)),
    /** Adds a version and makes it current. */
    updateAgent: (name: string, spec: SentSpec, subscription_id?: string) =>
      json<PlatformAgentDetail>("PUT", withQuery(agentPath(name), { subscription_id }), specOf(spec)),
    deleteAgent: (name: string) => json<unknown>("DELETE", agentPath(name)),
    listVersions: (name: string) => json<AgentVersionList>("GET", `${agentPath(name)}/versions`),
    getVersion: (name: string, number: number) =>
      json<AgentVersionDetail>("GET", `${agentPath(name)}/versions/${number}`),
    /** Also for a deleted agent. */
    listVersionsById: (id: string) =>
      json<AgentVersionList>("GET", `${agents}/by-id/${segment(id)}/versions`),
    getVersionById: (id: string, number: number) =>
      json<AgentVersionDetail>("GET", `${agents}/by-id/${segment(id)}/versions/${number}`),
    diffVersions: (name: string, from: number, to: number) =>
      json<SpecDiff>("GET", `${agentPath(name)}/versions/${from}/diff/${to}`),
    /** Adds a version with the spec of an earlier one. */
    restoreVersion: (name: string, number: number) =>
      json<PlatformAgentDetail>("POST", `${agentPath(name)}/versions/${number}/restore`),

    agentStatus: (name: string, page: PageQuery = {}) =>
      json<AgentInvocations>("GET", withQuery(`${agentPath(name)}/status`, page)),
    agentLogs: (name: string, page: PageQuery = {}) =>
      json<AgentInvocations>("GET", withQuery(`${agentPath(name)}/logs`, page)),
    /** `period` is `YYYY-MM`, by default the current month. */
    agentMetrics: (name: string, period?: string) =>
      json<AgentMetrics>("GET", withQuery(`${agentPath(name)}/metrics`, { period })),
    getInvocation: (name: string, id: string) =>
      json<InvocationDetail>("GET", `${agentPath(name)}/invocations/${segment(id)}`),
    /** Lists runs of all agents, including deleted ones, newest first. */
    listRuns: (page: PageQuery = {}) =>
      json<TenantInvocations>("GET", withQuery("/api/v1/invocations", page)),
    usage: (period?: string) => json<UsageReport>("GET", withQuery("/api/v1/usage", { period })),
    /** Returns the days of a month, by agent and by model. */
    dailyUsage: (period?: string) => json<DailyUsage>("GET", withQuery("/api/v1/usage/days", { period })),
    catalog: () => json<RuntimeCatalog>("GET", "/api/v1/catalog"),

    listConnections: () => json<ConnectionList>("GET", "/api/v1/connections"),
    putConnection: (name: string, input: ConnectionInput) =>
      json<Connection>("PUT", `/api/v1/connections/${segment(name)}`, { body: input }),
    deleteConnection: (name: string) => json<unknown>("DELETE", `/api/v1/connections/${segment(name)}`),

    sendMessage: (input: MessageInput) =>
      json<MessageQueued>("POST", "/api/v1/messages/send", { body: input }),
    /** Returns the active subscription of the vertical. */
    getSubscription: (argo: string) =>
      json<TenantSubscription>("GET", withQuery("/api/v1/subscriptions", { argo })),
    recordUsage: (event: UsageEventInput) =>
      json<UsageEvent>("POST", "/api/v1/usage/events", { body: event }),
  };
}
