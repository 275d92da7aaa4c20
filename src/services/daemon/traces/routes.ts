import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { SessionId } from "../../../contracts/daemon/runs/run.ts";
import { sourceParameter } from "../../../contracts/daemon/runs/run-source.ts";
import { JudgedTrace, TraceList } from "../../../contracts/daemon/runs/traces.ts";
import { cursor } from "../../../http/page-cursor.ts";
import { pageLimit } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import { readableTenant } from "../operator-tenant.ts";
import { listTracePage } from "./list-traces.ts";
import type { TraceArchive } from "./trace-archive.ts";

const instant = (description: string) =>
  Type.Optional(Type.String({ maxLength: 64, description: `${description} ISO 8601.` }));

/** PostgreSQL refuses the character 0 in parameters. */
const withoutNul = "^[^\\u0000]*$";

const tenantOf = (description: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: withoutNul,
      description: `${description} For the owner of the machine only.`,
    }),
  );

const TraceListQuery = Type.Object({
  agent: Type.Optional(
    Type.String({ maxLength: 63, pattern: withoutNul, description: "Returns only traces of this agent." }),
  ),
  model: Type.Optional(
    Type.String({
      maxLength: 255,
      pattern: withoutNul,
      description: "Returns only traces with this model in their summary.",
    }),
  ),
  status: Type.Optional(Type.Union([Type.Literal("OK"), Type.Literal("ERROR")])),
  session_id: Type.Optional(SessionId),
  source: sourceParameter("all"),
  since: instant("Returns only runs started at or after this time."),
  until: instant("Returns only runs started before this time."),
  feedback: Type.Optional(
    Type.Union([Type.Literal("up"), Type.Literal("down"), Type.Literal("any")], {
      description: "Returns only runs that someone judged so, or at all.",
    }),
  ),
  feedback_source: Type.Optional(
    Type.Union([Type.Literal("person"), Type.Literal("channel")], {
      description:
        "With `feedback`: counts only verdicts by API and console, or only users' reactions in messaging channels.",
    }),
  ),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        "Returns only runs whose question or answer contains this text, in any case. Each character is literal, and any white space equals a space. Finds only what traces keep, in the first 32,768 characters of each.",
    }),
  ),
  sort: Type.Optional(
    Type.Union([Type.Literal("time"), Type.Literal("latency"), Type.Literal("cost")], {
      description: "Default: `time`, the start of the run. Runs without a known cost count as 0.",
    }),
  ),
  order: Type.Optional(
    Type.Union([Type.Literal("asc"), Type.Literal("desc")], { description: "Default: `desc`." }),
  ),
  tenant: tenantOf("Tenant of the platform that the runs belong to."),
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
    .get(
      "",
      async ({ query: { tenant, ...asked }, call }) =>
        listTracePage(deps, readableTenant(call, tenant), asked),
      {
        query: TraceListQuery,
        response: TraceList,
        detail: {
          tags: ["traces"],
          operationId: "listTraces",
          summary: "Lists traces, newest first unless sorted otherwise",
          description:
            "If there are more traces, `next_cursor` returns the next ones, with the same `sort` and `order`. New traces do not shift the pages. One request searches 20,000 traces at most, and a page ends after about 8 MiB of traces: it may have fewer traces than `limit`, a page of a search also none, and a `next_cursor`.",
        },
      },
    )
    .get(
      "/:trace_id",
      async ({ params, query: { tenant }, call }) => {
        const trace = await deps.traces.find(readableTenant(call, tenant), params.trace_id);
        if (trace === undefined) throw traceNotFound();
        return trace;
      },
      {
        query: Type.Object({ tenant: tenantOf("Tenant of the platform that the run belongs to.") }),
        response: JudgedTrace,
        detail: { tags: ["traces"], operationId: "getTrace", summary: "Returns a trace with its spans" },
      },
    );

export const traceNotFound = () =>
  new AppError("not_found", "trace_not_found", "There is no trace with this id.");
