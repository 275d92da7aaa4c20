import { Elysia } from "elysia";
import { HistoryPath } from "../../../contracts/daemon/memory/memory.ts";
import { SessionForgotten } from "../../../contracts/daemon/memory/semantic-memory.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import type { DaemonDeps } from "../deps.ts";
import { forgetSession } from "./forget-session.ts";

/** Routes that delete from all memories of an agent. */
export const forgetRoutes = (deps: DaemonDeps) =>
  new Elysia({ prefix: "/v1/memory/:agent/sessions/:session" })
    .use(jsonRoutes())
    .delete("", async ({ params: { agent, session } }) => forgetSession(deps, agent, session), {
      params: HistoryPath,
      response: SessionForgotten,
      detail: {
        tags: ["memory"],
        operationId: "forgetSession",
        summary: "Forgets a session in every memory of an agent: its conversation, texts and episodes",
      },
    });
