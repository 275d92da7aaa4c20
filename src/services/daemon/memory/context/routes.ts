import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { ContextView } from "../../../../contracts/daemon/memory/context-window.ts";
import { HistoryPath } from "../../../../contracts/daemon/memory/memory.ts";
import { jsonRoutes } from "../../../../http/route-plugins.ts";
import type { ContextDeps } from "./read-context.ts";
import { readContext } from "./read-context.ts";

/** A request's address is limited to 8 KiB. */
const queryLengthMax = 4 * 1024;

export const contextRoutes = (deps: ContextDeps) =>
  new Elysia({ prefix: "/v1/memory/:agent/context/:session" })
    .use(jsonRoutes())
    .get(
      "",
      async ({ params: { agent, session }, query: { query = "" }, request }) =>
        readContext(deps, { agent, session, query }, request.signal),
      {
        params: HistoryPath,
        query: Type.Object({
          query: Type.Optional(
            Type.String({ maxLength: queryLengthMax, description: "What the user would say next." }),
          ),
        }),
        response: ContextView,
        detail: {
          tags: ["memory"],
          operationId: "getContext",
          summary: "Previews the prompt that the next run of a session would send, part by part",
          description:
            "Guardrails, memory and templates work as in a run; the query is embedded where texts are found by it. No model is asked, nothing is kept or counted. Of patterns that hold several conversations it is the agent's own.",
        },
      },
    );
