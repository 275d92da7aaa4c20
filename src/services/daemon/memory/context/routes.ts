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
          query: Type.Optional(Type.String({ maxLength: queryLengthMax, description: "Next user message." })),
        }),
        response: ContextView,
        detail: {
          tags: ["memory"],
          operationId: "getContext",
          summary: "Previews the prompt that the next run of a session would send, part by part",
          description:
            "Guardrails, memory and templates are applied as in a run. The query is embedded if it is used to search texts. No model is called, and nothing is stored or charged. For patterns with several conversations, the preview shows the agent's own conversation.",
        },
      },
    );
