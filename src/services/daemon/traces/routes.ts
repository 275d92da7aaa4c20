import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { Trace } from "../../../contracts/daemon/run.ts";
import { TraceList } from "../../../contracts/daemon/traces.ts";
import { pageLimit } from "../../../http/page-limit.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import { type DaemonDeps, operatorTenant } from "../deps.ts";

const TraceListQuery = Type.Object({
  agent: Type.Optional(Type.String({ maxLength: 63, description: "Only this agent's traces." })),
  limit: pageLimit({ default: 20, max: 100 }),
});

export const traceRoutes = ({ traces }: DaemonDeps) =>
  new Elysia({ prefix: "/v1/traces" })
    .use(jsonRoutes())
    .get(
      "",
      async ({ query: { agent, limit } }) => ({
        traces: await traces.list(operatorTenant, {
          ...(agent === undefined ? {} : { agent }),
          limit,
        }),
      }),
      {
        query: TraceListQuery,
        response: TraceList,
        detail: { tags: ["traces"], operationId: "listTraces", summary: "Traces of runs, newest first" },
      },
    )
    .get(
      "/:trace_id",
      async ({ params }) => {
        const trace = await traces.find(operatorTenant, params.trace_id);
        if (trace === undefined) {
          throw new AppError("not_found", "trace_not_found", "There is no trace with this id.");
        }
        return trace;
      },
      {
        response: Trace,
        detail: { tags: ["traces"], operationId: "getTrace", summary: "One trace with its spans" },
      },
    );
