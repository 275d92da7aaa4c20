import { AppError, type Problem } from "../../kit/app-error.ts";
import type { Trace } from "../daemon/runs/run.ts";
import type { PageQuery } from "../page-query.ts";
import { queryString, segment } from "../paths.ts";
import { type CallBody, callService, streamService } from "../service-call.ts";
import type { RegisteredAgent, RuntimeAgents } from "./agents.ts";
import type { RuntimeCatalog } from "./catalog.ts";
import type { RuntimeAddress, RuntimeClient, RuntimeFrame } from "./client.ts";
import type { DocumentPlace, RuntimeDocuments, TenantQuota } from "./documents.ts";
import type { LateUsageTaken, TraceTexts } from "./runs.ts";
import type { StoredBytes } from "./stored.ts";

/** Creates a client of the runtime over `fetch`, for an app in this process or a daemon elsewhere. */
export function runtimeClient(address: RuntimeAddress): RuntimeClient {
  const send: RuntimeCall = async (method, path, sent) => {
    try {
      return await callService(address, method, path, sent);
    } catch (thrown) {
      throw asUnreachable(thrown);
    }
  };
  const call = (method: string, path: string, body?: unknown) => send(method, path, { body });
  const stream = (path: string, body: unknown) =>
    streamService<RuntimeFrame>(address, "POST", path, { body });
  const tracesPath = (tenantId: string) => `/v1/internal/tenants/${segment(tenantId)}/traces`;
  const tracePath = (tenantId: string, traceId: string) => `${tracesPath(tenantId)}/${segment(traceId)}`;
  const verdictPath = (tenantId: string, traceId: string) => `${tracePath(tenantId, traceId)}/feedback`;
  const agentPath = (name: string) => `/v1/internal/agents/${segment(name)}`;
  return {
    register: async (name, agent) =>
      (await (await call("PUT", agentPath(name), agent)).json()) as RegisteredAgent,
    async check(tenantId, spec, keys) {
      const answer = await call("POST", "/v1/internal/check", {
        tenant_id: tenantId,
        spec,
        ...(keys === undefined ? {} : { keys }),
      });
      return ((await answer.json()) as { problems: Problem[] }).problems;
    },
    async deregister(name, agentId, tenantId) {
      await call("DELETE", `${agentPath(name)}${queryString({ agent_id: agentId, tenant_id: tenantId })}`);
    },
    async forgetSession(name, { tenantId, agentId, sessionId }) {
      const body = { tenant_id: tenantId, agent_id: agentId, session_id: sessionId };
      await call("POST", `${agentPath(name)}/forget-session`, body);
    },
    forgetRuns: async (tenantId, sessionId) =>
      void (await call("POST", `/v1/internal/tenants/${segment(tenantId)}/forget-runs`, {
        session_id: sessionId,
      })),
    unload: async (name) =>
      void (await call("DELETE", `${agentPath(name)}${queryString({ keep_memory: "true" })}`)),
    list: async () => (await (await call("GET", "/v1/internal/agents")).json()) as RuntimeAgents,
    run: (name, run) => reached(address.run?.(name, run) ?? stream(`${agentPath(name)}/run`, run)),
    decide: (id, decision) => reached(stream(`/v1/internal/approvals/${segment(id)}/decide`, decision)),
    cancel: async (runId) => void (await call("POST", `/v1/internal/runs/${segment(runId)}/cancel`)),
    forgetSteps: async (runs) => void (await call("POST", "/v1/internal/runs/forget-steps", { runs })),
    takeLateUsage: async () =>
      ((await (await call("POST", "/v1/internal/late-usage/take")).json()) as LateUsageTaken).rows,
    trace: async (tenantId, traceId) => {
      try {
        return (await (await call("GET", tracePath(tenantId, traceId))).json()) as Trace;
      } catch (thrown) {
        if (thrown instanceof AppError && thrown.code === "trace_not_found") return undefined;
        throw thrown;
      }
    },
    async traceTexts(tenantId, traceIds) {
      const answer = await call("POST", `${tracesPath(tenantId)}/texts`, { trace_ids: traceIds });
      const { texts } = (await answer.json()) as TraceTexts;
      return new Map(texts.map(({ trace_id, ...beginnings }) => [trace_id, beginnings]));
    },
    judge: async (tenantId, traceId, given) =>
      void (await call("PUT", verdictPath(tenantId, traceId), given)),
    unjudge: async (tenantId, traceId, source) =>
      void (await call("DELETE", `${verdictPath(tenantId, traceId)}${queryString({ source })}`)),
    stored: async (owners) =>
      ((await (await call("POST", "/v1/internal/stored", { owners })).json()) as StoredBytes).stored,
    documents: documentsClient(send),
    catalog: async () => (await (await call("GET", "/v1/internal/catalog")).json()) as RuntimeCatalog,
  };
}

/** Converts errors that are not the runtime's own answers to `runtime_unreachable`. */
/** The frames, with the errors of a client. A generator around another one would add to every frame of every run. */
function reached(frames: AsyncIterable<RuntimeFrame>): AsyncIterable<RuntimeFrame> {
  return {
    [Symbol.asyncIterator]() {
      const source = frames[Symbol.asyncIterator]();
      const fail = (thrown: unknown): never => {
        throw asUnreachable(thrown);
      };
      return {
        next: () => source.next().catch(fail),
        return: async () => {
          await source.return?.().catch(fail);
          return { done: true, value: undefined };
        },
      };
    },
  };
}

function asUnreachable(thrown: unknown): unknown {
  // If the runtime refuses the token, the caller of the run can't fix it.
  const isAnswer = thrown instanceof AppError && thrown.code !== "internal" && thrown.kind !== "unauthorized";
  if (isAnswer) return thrown;
  return new AppError("upstream_failed", "runtime_unreachable", "The runtime could not be reached.", {
    cause: thrown,
  });
}

/** Sends one call to the runtime. */
export type RuntimeCall = (method: string, path: string, sent?: CallBody) => Promise<Response>;

/** The part of the runtime's client that is about documents. */
export function documentsClient(call: RuntimeCall): RuntimeDocuments {
  const base = "/v1/internal/documents";
  const collections = (tenantId: string) => `${base}/${segment(tenantId)}/collections`;
  const collectionPath = (tenantId: string, name: string) => `${collections(tenantId)}/${segment(name)}`;
  const documents = (tenantId: string, name: string) => `${collectionPath(tenantId, name)}/documents`;
  const documentPath = (tenantId: string, { collection, id }: DocumentPlace) =>
    `${documents(tenantId, collection)}/${segment(id)}`;
  const json = async <T>(method: string, path: string, sent?: CallBody): Promise<T> =>
    (await (await call(method, path, sent)).json()) as T;
  return {
    tenants: (after) => json("GET", `${base}${queryString({ after })}`),
    forget: async (tenantId) => void (await call("DELETE", `${base}/${segment(tenantId)}`)),
    collections: (tenantId) => json("GET", collections(tenantId)),
    collection: (tenantId, name) => json("GET", collectionPath(tenantId, name)),
    makeCollection: (tenantId, name, quota) =>
      json("PUT", `${collectionPath(tenantId, name)}${queryString(limitsOf(quota))}`),
    deleteCollection: (tenantId, name) => json("DELETE", collectionPath(tenantId, name)),
    documents: (tenantId, name, page) => json("GET", `${documents(tenantId, name)}${pageOf(page)}`),
    document: (tenantId, place) => json("GET", documentPath(tenantId, place)),
    chunks: (tenantId, place, page) => json("GET", `${documentPath(tenantId, place)}/chunks${pageOf(page)}`),
    putDocument(tenantId, place, { file, quota, owner, signal }) {
      const { bytes, contentType: type = "application/octet-stream", name, metadata } = file;
      const query = queryString({ name, metadata, owner, ...limitsOf(quota) });
      // In process nothing else says how much room the file needs.
      const headers = { "content-length": String(bytes.length) };
      return json("PUT", `${documentPath(tenantId, place)}${query}`, { bytes, type, headers, signal });
    },
    deleteDocument: async (tenantId, place) => void (await call("DELETE", documentPath(tenantId, place))),
    query: (tenantId, request, { owner, signal }) =>
      json("POST", `${base}/${segment(tenantId)}/query${queryString({ owner })}`, { body: request, signal }),
  };
}

/** No limit is an absent parameter. */
const limitsOf = ({ collections_max, documents_max }: TenantQuota) => ({
  collections_max: collections_max ?? undefined,
  documents_max: documents_max ?? undefined,
});

const pageOf = ({ limit, cursor }: PageQuery) => queryString({ limit, cursor });
