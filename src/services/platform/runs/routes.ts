import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { RunAwaiting, RunInProgress } from "../../../contracts/platform/runs/run-frames.ts";
import { PlatformRunRequest, PlatformRunResult } from "../../../contracts/platform/runs/runs.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { holdOpen } from "../../../http/call.ts";
import { idempotencyHeader } from "../../../http/idempotency-key.ts";
import { imageRoutes } from "../../../http/route-plugins.ts";
import { readTraceParent } from "../../../kit/trace-parent.ts";
import type { Registrations } from "../agents/registrations.ts";
import { tenantCredential } from "../auth/credentials.ts";
import type { TenantRunDeps } from "./deps.ts";
import { runOnce } from "./run-once.ts";
import { streamRunEvents, wantsEvents } from "./streams/stream-run.ts";

const tags = ["runs"];

const keyHeader = idempotencyHeader(
  "Unique key of the run. A repeated request with the same key and body returns the response of the first request.",
);

/** Routes that run a tenant's agents. */
export const runRoutes = (deps: TenantRunDeps, registrations: Registrations) =>
  new Elysia({ prefix: "/api/v1/agents" })
    .use(imageRoutes())
    .use(tenantCredential(deps, "runs"))
    .post(
      "/:name/run",
      async ({ tenant, params, body, request, call, set }) => {
        holdOpen(call, request);
        const idempotencyKey = request.headers.get("idempotency-key") ?? undefined;
        const trace = readTraceParent(request.headers.get("traceparent"));
        const runCall = { ...body, tenant, agentName: params.name, idempotencyKey, trace };
        if (wantsEvents(request)) {
          const watched = { ...runCall, stream: true, cancelledBy: [] };
          return (await streamRunEvents(deps, registrations, watched, { request, call })) as never;
        }
        // A caller with a key may come back for the answer, so disconnecting does not cancel the run.
        const cancelledBy = idempotencyKey === undefined ? [request.signal] : [];
        const once = { ...runCall, stream: false, cancelledBy };
        const answer = await runOnce(deps, registrations, once, set.headers);
        set.status = answer.status;
        Object.assign(set.headers, answer.headers);
        return answer.body as never;
      },
      {
        ...jsonBody(PlatformRunRequest),
        response: { 200: Type.Union([PlatformRunResult, RunInProgress]), 202: RunAwaiting },
        detail: {
          tags,
          operationId: "runAgent",
          summary: "Runs an agent",
          parameters: [keyHeader],
          description:
            "With `Idempotency-Key`, a repeated request returns the first response (`Idempotency-Replayed: true`), and the run continues if the client disconnects, also from an event stream. Without it, a disconnect cancels the run. From 80 percent of the month's credits, the response has the header `X-Platform-Credit-Usage`.",
        },
      },
    );
