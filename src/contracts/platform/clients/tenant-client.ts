import type {
  ChunkList,
  DocumentList,
  DocumentStored,
  DocumentView,
  QueryAnswer,
} from "../../daemon/rag/rag.ts";
import type {
  ChannelFeedback,
  ChannelFeedbackGiven,
  Feedback,
  FeedbackGiven,
  FeedbackSource,
} from "../../daemon/runs/feedback.ts";
import type { Trace } from "../../daemon/runs/run.ts";
import type { SourceFilter } from "../../daemon/runs/run-sources.ts";
import { hostedEvalCalls } from "../../evals/hosted-eval-calls.ts";
import type { PageQuery } from "../../page-query.ts";
import { segment, withQuery } from "../../paths.ts";
import type { RuntimeCatalog } from "../../runtime/catalog.ts";
import { ifMatch, taggedJson } from "../../tagged.ts";
import type {
  AgentVersionDetail,
  AgentVersionList,
  PlatformAgentDetail,
  PlatformAgentList,
  SpecDiff,
} from "../agents.ts";
import type { Attribution, UsageAttribution } from "../attribution.ts";
import type { Statement } from "../billing/billing.ts";
import type { GrantList } from "../billing/grants.ts";
import type { Invoice, InvoiceList } from "../billing/invoices.ts";
import type { TenantSubscription, UsageEvent, UsageEventInput } from "../billing/subscriptions.ts";
import type { CollectionQuery, TenantCollection, TenantCollectionList } from "../collections.ts";
import type { Connection, ConnectionInput, ConnectionList } from "../connections.ts";
import type { PlatformEvalOrder, PlatformEvalRun, PlatformEvalRunDetail } from "../evals.ts";
import type { Actor } from "../members.ts";
import type {
  DeskNoticeInput,
  DeskNoticeTaken,
  NewWebhook,
  NoticeDeliveryList,
  WebhookInput,
  WebhookList,
} from "../notices.ts";
import type {
  AgentInvocations,
  AgentMetrics,
  DailyUsage,
  InvocationDetail,
  TenantInvocations,
  UsageReport,
} from "../observability.ts";
import type { MessageInput, MessageQueued } from "../runs/messages.ts";
import type { TenantSessionForgotten } from "../runs/sessions.ts";
import type { PlatformCalls } from "./call-platform.ts";

/** `period` is `YYYY-MM`, by default the current month. */
export interface AttributionQuery {
  by: Attribution;
  period?: string;
}

export interface RunsQuery extends PageQuery {
  feedback?: "up" | "down" | "any";
  feedback_source?: FeedbackSource;
  /** Default: `all`. */
  source?: SourceFilter;
  /** Adds the beginnings of questions and answers, where traces keep them. */
  texts?: "true" | "false";
}

/** A file that becomes a document. */
export interface SentDocument {
  bytes: Uint8Array<ArrayBuffer>;
  /** The file's own: `text/markdown`, `application/pdf` …; absent: found by its name and bytes. */
  contentType?: string;
  /** The file's name. */
  name?: string;
  metadata?: Record<string, unknown>;
}

export interface ReleaseOptions {
  /** Reason to publish a version that its release gate refuses. */
  release_override?: string | undefined;
}

/** A manifest: an object is sent as JSON, a text as YAML. */
export type SpecUpload = object | string;

/** Methods for a tenant's programs and people, with an API key, or an access token and `X-Tenant-ID`. */
export function tenantClient({ json, raw }: PlatformCalls) {
  const agents = "/api/v1/agents";
  const collections = "/api/v1/collections";
  const collectionPath = (name: string) => `${collections}/${segment(name)}`;
  const documentPath = (collection: string, id: string) =>
    `${collectionPath(collection)}/documents/${segment(id)}`;
  const agentPath = (name: string) => `${agents}/${segment(name)}`;
  const feedbackPath = (id: string) => `/api/v1/invocations/${segment(id)}/feedback`;
  const specOf = (spec: SpecUpload) =>
    typeof spec === "string" ? { text: spec, type: "application/yaml" } : { body: spec };
  return {
    /** Whom the credential belongs to. */
    actor: () => json<Actor>("GET", "/api/v1/actor"),
    /** Reports what the desk of the tenant's conversations should know. */
    noticeDesk: (body: DeskNoticeInput) => json<DeskNoticeTaken>("POST", "/api/v1/desk-notices", { body }),
    /** Without `limit`: up to 10,000. */
    listAgents: (page: { limit?: number; cursor?: string } = {}) =>
      json<PlatformAgentList>("GET", withQuery(agents, page)),
    getAgent: (name: string) => json<PlatformAgentDetail>("GET", agentPath(name)),
    /** Stores version 1 of a new agent. */
    createAgent: (spec: SpecUpload, subscription_id?: string, { release_override }: ReleaseOptions = {}) =>
      json<PlatformAgentDetail>(
        "POST",
        withQuery(agents, { subscription_id, release_override }),
        specOf(spec),
      ),
    readAgent: async (name: string) => taggedJson<PlatformAgentDetail>(await raw("GET", agentPath(name))),
    /** Adds a version and makes it current. `match`: refuses with 412 unless the agent still has this tag. */
    updateAgent: (
      name: string,
      spec: SpecUpload,
      {
        subscription_id,
        release_override,
        match,
        note,
      }: {
        subscription_id?: string;
        match?: string | undefined;
        note?: string | undefined;
      } & ReleaseOptions = {},
    ) =>
      json<PlatformAgentDetail>(
        "PUT",
        withQuery(agentPath(name), { subscription_id, release_override, note }),
        {
          ...specOf(spec),
          headers: ifMatch(match),
        },
      ),
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
    restoreVersion: (name: string, number: number, { release_override }: ReleaseOptions = {}) =>
      json<PlatformAgentDetail>(
        "POST",
        withQuery(`${agentPath(name)}/versions/${number}/restore`, { release_override }),
      ),

    ...hostedEvalCalls<PlatformEvalOrder, PlatformEvalRun, PlatformEvalRunDetail>(raw, "/api/v1"),

    /** Adds a webhook for the tenant's notices. The answer alone shows its secret. */
    createOwnWebhook: (body: WebhookInput) => json<NewWebhook>("POST", "/api/v1/webhooks", { body }),
    listOwnWebhooks: () => json<WebhookList>("GET", "/api/v1/webhooks"),
    deleteOwnWebhook: (id: string) => json<void>("DELETE", `/api/v1/webhooks/${segment(id)}`),
    listOwnDeliveries: (id: string, query: PageQuery = {}) =>
      json<NoticeDeliveryList>("GET", withQuery(`/api/v1/webhooks/${segment(id)}/deliveries`, query)),
    /** Credits granted to the tenant. */
    ownGrants: (query: PageQuery = {}) => json<GrantList>("GET", withQuery("/api/v1/grants", query)),
    ownInvoices: (query: PageQuery & { period?: string } = {}) =>
      json<InvoiceList>("GET", withQuery("/api/v1/invoices", query)),
    ownInvoice: (id: string) => json<Invoice>("GET", `/api/v1/invoices/${segment(id)}`),
    ownInvoiceHtml: async (id: string) =>
      (await raw("GET", `/api/v1/invoices/${segment(id)}/html`, { accept: "*/*" })).text(),
    ownInvoicePdf: async (id: string) =>
      new Uint8Array(
        await (await raw("GET", `/api/v1/invoices/${segment(id)}/pdf`, { accept: "*/*" })).arrayBuffer(),
      ),
    /** The tenant's own statement. */
    ownStatement: (period?: string) => json<Statement>("GET", withQuery("/api/v1/statement", { period })),
    ownStatementCsv: async (period?: string) =>
      (await raw("GET", withQuery("/api/v1/statement", { period }), { accept: "text/csv" })).text(),

    agentStatus: (name: string, page: RunsQuery = {}) =>
      json<AgentInvocations>("GET", withQuery(`${agentPath(name)}/status`, page)),
    agentLogs: (name: string, page: RunsQuery = {}) =>
      json<AgentInvocations>("GET", withQuery(`${agentPath(name)}/logs`, page)),
    /** `period` is `YYYY-MM`, by default the current month. */
    agentMetrics: (name: string, period?: string) =>
      json<AgentMetrics>("GET", withQuery(`${agentPath(name)}/metrics`, { period })),
    getInvocation: (name: string, id: string) =>
      json<InvocationDetail>("GET", `${agentPath(name)}/invocations/${segment(id)}`),
    /** The steps of a run. Throws `trace_not_found` if they aren't kept. */
    getInvocationTrace: (name: string, id: string) =>
      json<Trace>("GET", `${agentPath(name)}/invocations/${segment(id)}/trace`),
    /** Lists runs of all agents, including deleted ones, newest first. */
    listRuns: (page: RunsQuery = {}) =>
      json<TenantInvocations>("GET", withQuery("/api/v1/invocations", page)),
    /** Judges a run; replaces the verdict that a person gave before. */
    giveFeedback: (invocationId: string, given: FeedbackGiven) =>
      json<Feedback>("PUT", feedbackPath(invocationId), { body: given }),
    deleteFeedback: (invocationId: string) => json<unknown>("DELETE", feedbackPath(invocationId)),
    /** Stores the verdict of a channel's users on a run. */
    giveChannelFeedback: (invocationId: string, given: ChannelFeedbackGiven) =>
      json<ChannelFeedback>("PUT", `${feedbackPath(invocationId)}/channel`, { body: given }),
    deleteChannelFeedback: (invocationId: string) =>
      json<unknown>("DELETE", `${feedbackPath(invocationId)}/channel`),
    /** Deletes everything that is kept of a session. */
    forgetSession: (session_id: string) =>
      json<TenantSessionForgotten>("POST", "/api/v1/sessions/forget", { body: { session_id } }),
    usage: (period?: string) => json<UsageReport>("GET", withQuery("/api/v1/usage", { period })),
    /** Returns the days of a month, by agent and by model. */
    dailyUsage: (period?: string) => json<DailyUsage>("GET", withQuery("/api/v1/usage/days", { period })),
    /** Splits a month by key, member or model. */
    usageAttribution: (query: AttributionQuery) =>
      json<UsageAttribution>("GET", withQuery("/api/v1/usage/attribution", query)),
    catalog: () => json<RuntimeCatalog>("GET", "/api/v1/catalog"),

    listConnections: () => json<ConnectionList>("GET", "/api/v1/connections"),
    putConnection: (name: string, input: ConnectionInput) =>
      json<Connection>("PUT", `/api/v1/connections/${segment(name)}`, { body: input }),
    deleteConnection: (name: string) => json<unknown>("DELETE", `/api/v1/connections/${segment(name)}`),

    listCollections: () => json<TenantCollectionList>("GET", collections),
    getCollection: (name: string) => json<TenantCollection>("GET", collectionPath(name)),
    /** Makes a collection without documents; one that is there stays as it is. */
    putCollection: (name: string) => json<TenantCollection>("PUT", collectionPath(name)),
    deleteCollection: (name: string) => json<unknown>("DELETE", collectionPath(name)),
    listDocuments: (collection: string, page: PageQuery = {}) =>
      json<DocumentList>("GET", withQuery(`${collectionPath(collection)}/documents`, page)),
    getDocument: (collection: string, id: string) => json<DocumentView>("GET", documentPath(collection, id)),
    listChunks: (collection: string, id: string, page: PageQuery = {}) =>
      json<ChunkList>("GET", withQuery(`${documentPath(collection, id)}/chunks`, page)),
    /** Takes a file as a document, in place of the one with this id. */
    putDocument: (
      collection: string,
      id: string,
      { bytes, contentType: type = "application/octet-stream", name, metadata }: SentDocument,
      signal?: AbortSignal,
    ) => {
      const query = { name, metadata: metadata && JSON.stringify(metadata) };
      const path = withQuery(documentPath(collection, id), query);
      return json<DocumentStored>("PUT", path, { bytes, type, signal });
    },
    deleteDocument: (collection: string, id: string) => json<unknown>("DELETE", documentPath(collection, id)),
    queryCollection: (collection: string, body: CollectionQuery, signal?: AbortSignal) =>
      json<QueryAnswer>("POST", `${collectionPath(collection)}/query`, { body, signal }),

    sendMessage: (input: MessageInput) =>
      json<MessageQueued>("POST", "/api/v1/messages/send", { body: input }),
    /** Returns the active subscription of the vertical. */
    getSubscription: (argo: string) =>
      json<TenantSubscription>("GET", withQuery("/api/v1/subscriptions", { argo })),
    recordUsage: (event: UsageEventInput) =>
      json<UsageEvent>("POST", "/api/v1/usage/events", { body: event }),
  };
}
