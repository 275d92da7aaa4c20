import { Elysia } from "elysia";
import { bodyBytesDefault } from "../../../http/bodies/request-body.ts";
import type { Access } from "../../../http/front-door/front-door.ts";
import { rawRoutes } from "../../../http/route-plugins.ts";
import type { RunDeps } from "../runs/admit-run.ts";
import { agentCard, getSharedAgent, onlyCard } from "./agent-card.ts";
import { answerA2aCall } from "./answer-call.ts";
import { TaskStore } from "./task-store.ts";

/** The Agent2Agent protocol (JSON-RPC) for agents with `spec.a2a.enabled`: their cards, messages and tasks. */
export const a2aRoutes = (deps: RunDeps, access: Access) => {
  const tasks = new TaskStore(deps.clock);
  return new Elysia()
    .use(rawRoutes(bodyBytesDefault))
    .get(
      "/.well-known/agent-card.json",
      async ({ request }) => onlyCard(deps.catalog, new URL(request.url).origin, access),
      {
        detail: {
          tags: ["a2a"],
          operationId: "getAgentCard",
          summary: "Describes the agent that is available over A2A",
          description: "If several agents have `spec.a2a.enabled`, the error names the address of each card.",
        },
      },
    )
    .get(
      "/a2a/:name/.well-known/agent-card.json",
      async ({ params, request }) =>
        agentCard(getSharedAgent(deps.catalog, params.name), new URL(request.url).origin, access),
      {
        detail: {
          tags: ["a2a"],
          operationId: "getCardOfAgent",
          summary: "Describes one of the agents that are available over A2A",
        },
      },
    )
    .post(
      "/a2a/:name",
      async ({ params, body, request, call }) => {
        const { name } = getSharedAgent(deps.catalog, params.name);
        return answerA2aCall(deps, tasks, body as Uint8Array | undefined, { agent: name, request, call });
      },
      {
        detail: {
          tags: ["a2a"],
          operationId: "callSharedAgent",
          summary: "The Agent2Agent protocol 0.3 (JSON-RPC)",
          description:
            "Accepts `message/send`, `message/stream` (server-sent events), `tasks/get`, `tasks/cancel` and `tasks/resubscribe`. `contextId` is the session id of the conversation.",
        },
      },
    );
};
