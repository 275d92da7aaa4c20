import { type TSchema, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { FeedbackSource } from "../../../contracts/daemon/runs/feedback.ts";
import { SessionId, Trace } from "../../../contracts/daemon/runs/run.ts";
import {
  ForgottenSession,
  OwnKeys,
  RegisterAgent,
  RegisteredAgent,
  RuntimeAgents,
} from "../../../contracts/runtime/agents.ts";
import { RuntimeCatalog } from "../../../contracts/runtime/catalog.ts";
import type { RuntimeFrame } from "../../../contracts/runtime/client.ts";
import {
  AskedTraces,
  EndedRuns,
  LateUsageTaken,
  RuntimeDecision,
  RuntimeRun,
  RuntimeVerdict,
  TraceTexts,
} from "../../../contracts/runtime/runs.ts";
import { AskedOwners, StoredBytes } from "../../../contracts/runtime/stored.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { type Call, holdOpen } from "../../../http/call.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { eventStream } from "../../../http/streams/event-stream.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { encodeSse } from "../../../kit/fetch/sse.ts";
import { requireRuntimeToken } from "./require-runtime-token.ts";
import { endedOtherwise } from "./run-ended.ts";
import type { RuntimeDeps } from "./runtime-deps.ts";
import { requireTenant, tenantOfName } from "./tenant-agents.ts";
import { decideTenantApproval } from "./tenant-approval.ts";
import { runTenantAgent } from "./tenant-run.ts";

/** Room for a spec of 1 MiB, or a run's images, and the fields around them. */
const bodyBytesMax = 8 * 1024 * 1024;

const CheckAgent = Type.Object(
  { tenant_id: Type.String(), spec: Type.Unknown(), keys: Type.Optional(OwnKeys) },
  { additionalProperties: false },
);

const RemoveQuery = Type.Object({
  agent_id: Type.Optional(Type.String({ maxLength: 64 })),
  tenant_id: Type.Optional(Type.String({ maxLength: 64 })),
  keep_memory: Type.Optional(Type.Literal("true")),
});

/** A session, and whose memory it is in. */
const SessionOfAgent = Type.Object(
  {
    tenant_id: Type.String({ maxLength: 64 }),
    agent_id: Type.String({ maxLength: 64 }),
    session_id: SessionId,
  },
  { additionalProperties: false },
);

const ProblemList = Type.Object({ problems: Type.Array(Type.Unknown()) });

const hidden = { detail: { hide: true } };

/**
 * Routes by which control planes run tenants' agents. With `token`, callers must send it; without, the app must not be reachable from
 * outside.
 */
export const runtimeRoutes = (deps: RuntimeDeps, token?: string) =>
  new Elysia({ prefix: "/v1/internal" })
    .use(jsonRoutes(bodyBytesMax))
    .onTransform({ as: "local" }, requireRuntimeToken(token))
    .get("/agents", async () => listed(deps), { ...answers(RuntimeAgents), ...hidden })
    .put("/agents/:name", async ({ params, body }) => deps.agents.register(params.name, body), {
      ...jsonBody(RegisterAgent),
      ...answers(RegisteredAgent),
      ...hidden,
    })
    .delete(
      "/agents/:name",
      async ({ params, query, set }) => {
        if (query.keep_memory === "true") deps.agents.remove(params.name);
        else await removeAgent(deps, params.name, query);
        set.status = 204;
      },
      { query: RemoveQuery, ...hidden },
    )
    .post(
      "/agents/:name/forget-session",
      async ({ params, body: { tenant_id: tenant, agent_id: agent, session_id: sessionId }, set }) => {
        requireTenant(tenant);
        await deps.agents.build(params.name);
        await deps.forgetSession({ tenant, agent, sessionId });
        set.status = 204;
      },
      { ...jsonBody(SessionOfAgent), ...hidden },
    )
    .post(
      "/tenants/:tenant/forget-runs",
      async ({ params: { tenant }, body: { session_id: sessionId }, set }) => {
        requireTenant(tenant);
        await deps.forgetRuns(tenant, sessionId);
        set.status = 204;
      },
      { ...jsonBody(ForgottenSession), ...hidden },
    )
    .post("/check", async ({ body }) => checked(deps, body), {
      ...jsonBody(CheckAgent),
      ...answers(ProblemList),
      ...hidden,
    })
    .post(
      "/agents/:name/run",
      async ({ params, body, request, call }) => {
        const agent = await deps.agents.ready(params.name, body.checksum);
        const reader = { signal: request.signal, requestId: call.requestId };
        return framesAnswer(deps, runTenantAgent(deps, agent, body, reader), request, call);
      },
      { ...jsonBody(RuntimeRun), ...hidden },
    )
    .post(
      "/approvals/:id/decide",
      async ({ params, body, request, call }) => {
        const reader = { signal: request.signal, requestId: call.requestId };
        const frames = await decideTenantApproval(deps, params.id, body, reader);
        return framesAnswer(deps, frames, request, call);
      },
      { ...jsonBody(RuntimeDecision), ...hidden },
    )
    .post(
      "/runs/:id/cancel",
      async ({ params, set }) => {
        deps.cancels.cancel(params.id);
        set.status = 204;
      },
      hidden,
    )
    .post(
      "/runs/forget-steps",
      async ({ body, set }) => {
        const runs = body.runs.map(({ tenant_id, run_id }) => ({ tenant: tenant_id, runId: run_id }));
        for (const { tenant } of runs) requireTenant(tenant);
        await deps.durable.forget(runs);
        set.status = 204;
      },
      { ...jsonBody(EndedRuns), ...hidden },
    )
    .post("/late-usage/take", async () => ({ rows: deps.lateUsage.take() }), {
      ...answers(LateUsageTaken),
      ...hidden,
    })
    .get("/tenants/:tenant/traces/:trace_id", async ({ params }) => tenantTrace(deps, params), {
      ...answers(Trace),
      ...hidden,
    })
    .post(
      "/tenants/:tenant/traces/texts",
      async ({ params, body }) => textsOfTraces(deps, params.tenant, body.trace_ids),
      { ...jsonBody(AskedTraces), ...answers(TraceTexts), ...hidden },
    )
    .put(
      "/tenants/:tenant/traces/:trace_id/feedback",
      async ({ params, body, set }) => {
        await judgeTenantRun(deps, params, body);
        set.status = 204;
      },
      { ...jsonBody(RuntimeVerdict), ...hidden },
    )
    .delete(
      "/tenants/:tenant/traces/:trace_id/feedback",
      async ({ params, query, set }) => {
        requireTenant(params.tenant);
        await deps.traces.unjudge(params.tenant, params.trace_id, query.source);
        set.status = 204;
      },
      { query: Type.Object({ source: FeedbackSource }), ...hidden },
    )
    .post("/stored", async ({ body }) => ({ stored: await deps.stored(body.owners) }), {
      ...jsonBody(AskedOwners),
      ...answers(StoredBytes),
      ...hidden,
    })
    .get("/catalog", async () => deps.catalog(), { ...answers(RuntimeCatalog), ...hidden });

/** A trace that this runtime has no more, or never had, has no place for a verdict: the control plane keeps its own. */
async function judgeTenantRun(
  { traces, clock }: RuntimeDeps,
  { tenant, trace_id: traceId }: { tenant: string; trace_id: string },
  given: RuntimeVerdict,
): Promise<void> {
  requireTenant(tenant);
  if ("feedback" in given) await traces.judge(tenant, traceId, given.feedback, clock.now());
  else await traces.judgeByUsers(tenant, traceId, given.channel_feedback);
}

async function tenantTrace(
  { traces }: RuntimeDeps,
  { tenant, trace_id: traceId }: { tenant: string; trace_id: string },
): Promise<Trace> {
  requireTenant(tenant);
  const judgedTrace = await traces.find(tenant, traceId);
  if (judgedTrace === undefined)
    throw new AppError("not_found", "trace_not_found", "There is no such trace.");
  const { feedback: _, channel_feedback: __, ...trace } = judgedTrace;
  return trace;
}

async function textsOfTraces(
  { traces }: RuntimeDeps,
  tenant: string,
  traceIds: readonly string[],
): Promise<TraceTexts> {
  requireTenant(tenant);
  const texts = await traces.texts(tenant, traceIds);
  return { texts: [...texts].map(([trace_id, beginnings]) => ({ trace_id, ...beginnings })) };
}

const answers = <Schema extends TSchema>(schema: Schema) => ({ response: { 200: schema } });

function listed({ agents }: RuntimeDeps): RuntimeAgents {
  return { agents: agents.names() };
}

async function checked(
  { check }: RuntimeDeps,
  { tenant_id, spec, keys }: { tenant_id: string; spec: unknown; keys?: "own" },
) {
  requireTenant(tenant_id);
  return { problems: await check(tenant_id, spec, keys) };
}

/** Deletes the agent and its memory. An agent that is not registered here is deleted by the id that its memory belongs to. */
async function removeAgent(
  deps: RuntimeDeps,
  runtimeName: string,
  { agent_id, tenant_id }: { agent_id?: string; tenant_id?: string },
): Promise<void> {
  const removed = deps.agents.remove(runtimeName);
  const tenant = tenant_id ?? tenantOfName(runtimeName);
  const id = agent_id ?? removed?.agentId;
  if (tenant === undefined || id === undefined) return;
  requireTenant(tenant);
  // Neither a namespace nor a tenant's id contains `__`.
  await deps.forget(tenant, id, runtimeName.slice(runtimeName.indexOf("__") + 2));
}

/**
 * Streams frames. A failure before the first frame gets its own HTTP status. If the client disconnects, even before reading, the run ends.
 */
async function framesAnswer(
  { clock }: { clock: Clock },
  frames: AsyncGenerator<RuntimeFrame, void>,
  request: Request,
  call: Call,
): Promise<Response> {
  holdOpen(call, request);
  const first = await frames.next();
  const end = () => void frames.return();
  if (request.signal.aborted) end();
  else request.signal.addEventListener("abort", end, { once: true });
  return eventStream({
    source(gone) {
      gone.addEventListener("abort", end, { once: true });
      return resumed(first, frames);
    },
    encode: encodeFrame,
    encodeError: (error) =>
      encodeFrame(endedOtherwise(error, { usage: [], duration_ms: 0 }, { isStopping: false })),
    call,
    request,
    clock,
  });
}

async function* resumed(
  first: IteratorResult<RuntimeFrame, void>,
  rest: AsyncGenerator<RuntimeFrame, void>,
): AsyncGenerator<RuntimeFrame, void> {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}

const encodeFrame = (frame: RuntimeFrame) => encodeSse({ data: JSON.stringify(frame) });
