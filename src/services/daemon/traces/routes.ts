import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { SessionId } from "../../../contracts/daemon/runs/run.ts";
import { JudgedTrace, TraceList } from "../../../contracts/daemon/runs/traces.ts";
import { cursor } from "../../../http/page-cursor.ts";
import { pageLimit } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import { operatorTenant } from "../operator-tenant.ts";
import { listTracePage } from "./list-traces.ts";
import type { TraceArchive } from "./trace-archive.ts";

const instant = (description: string) =>
  Type.Optional(Type.String({ maxLength: 64, description: `${description} ISO 8601.` }));

const TraceListQuery = Type.Object({
  agent: Type.Optional(Type.String({ maxLength: 63, description: "Returns only traces of this agent." })),
  status: Type.Optional(Type.Union([Type.Literal("OK"), Type.Literal("ERROR")])),
  session_id: Type.Optional(SessionId),
  since: instant("Returns only runs started at or after this time."),
  until: instant("Returns only runs started before this time."),
  feedback: Type.Optional(
    Type.Union([Type.Literal("up"), Type.Literal("down"), Type.Literal("any")], {
      description: "Returns only runs that a person judged so, or at all.",
    }),
  ),
  cursor,
  limit: pageLimit({ default: 20, max: 100 }),
  spans: Type.Optional(
    Type.Union([Type.Literal("true"), Type.Literal("false")], {
      description: "`false` returns empty lists of spans.",
    }),
  ),
});

export interface TraceRoutesDeps {
  traces: TraceArchive;
}

export const traceRoutes = (deps: TraceRoutesDeps) =>
  new Elysia({ prefix: "/v1/traces" })
    .use(jsonRoutes())
    .get("", async ({ query }) => listTracePage(deps, query), {
      query: TraceListQuery,
      response: TraceList,
      detail: {
        tags: ["traces"],
        operationId: "listTraces",
        summary: "Lists traces, newest first",
        description: "If there are more traces, `next_cursor` returns the next older ones.",
      },
    })
    .get(
      "/:trace_id",
      async ({ params, query: { tenant }, call }) => {
        if (tenant !== undefined && !call.isOwner) throw ownersOnly();
        const trace = await deps.traces.find(tenant ?? operatorTenant, params.trace_id);
        if (trace === undefined) throw traceNotFound();
        return trace;
      },
      {
        query: Type.Object({
          tenant: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 255,
              pattern: "^[^\\u0000]*$",
              description:
                "Tenant of the platform that the run belongs to. For the owner of the machine only.",
            }),
          ),
        }),
        response: JudgedTrace,
        detail: { tags: ["traces"], operationId: "getTrace", summary: "Returns a trace with its spans" },
      },
    );

export const traceNotFound = () =>
  new AppError("not_found", "trace_not_found", "There is no trace with this id.");

/** Tenants' runs are invisible to other users of the daemon's API. */
const ownersOnly = () =>
  new AppError("forbidden", "owners_only", "Only the owner of this machine may read traces of tenants.", {
    details: { hint: "Open the console with the link that `argosy console` prints." },
  });
