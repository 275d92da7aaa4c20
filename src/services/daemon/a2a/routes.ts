import { Elysia } from "elysia";
import { bodyBytesDefault } from "../../../http/bodies/request-body.ts";
import type { Access } from "../../../http/front-door/front-door.ts";
import { rawRoutes } from "../../../http/route-plugins.ts";
import type { RunDeps } from "../runs/admit-run.ts";
import { agentCard, getSharedAgent, onlyCard } from "./agent-card.ts";
import { answerA2aCall } from "./answer-call.ts";
import { dialect03 } from "./dialect.ts";
import { dialectV1 } from "./dialect-v1.ts";
import { PushNotifications, type PushPorts } from "./push-notifications.ts";
import { TaskStore } from "./task-store.ts";

/** The Agent2Agent protocol (JSON-RPC) for agents with `spec.a2a.enabled`: their cards, messages and tasks. */
export const a2aRoutes = (deps: RunDeps & { network: PushPorts["network"] }, access: Access) => {
  const { clock, newId, log, network, runs } = deps;
  const dialects = { "0.3": dialect03, "1.0": dialectV1 };
  const pushes = new PushNotifications({
    ...{ network, clock, newId, log, random: runs.random },
    write: (push, task, update) => dialects[push.version].notification(task, update),
  });
  const a2a = { ...deps, tasks: new TaskStore(clock), pushes };
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
        agentCard(await getSharedAgent(deps.catalog, params.name), new URL(request.url).origin, access),
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
        const { name } = await getSharedAgent(deps.catalog, params.name);
        return answerA2aCall(a2a, body as Uint8Array | undefined, { agent: name, request, call });
      },
      {
        detail: {
          tags: ["a2a"],
          operationId: "callSharedAgent",
          summary: "The Agent2Agent protocol 1.0 and 0.3 (JSON-RPC)",
          description:
            "With the header `A2A-Version: 1.0`: `SendMessage`, `SendStreamingMessage` (server-sent events), `GetTask`, `ListTasks`, `CancelTask`, `SubscribeToTask`, and the methods for push notifications. Without the header, those of 0.3: `message/send`, `message/stream`, `tasks/get`, `tasks/cancel`, `tasks/resubscribe`, `tasks/pushNotificationConfig/…`. `contextId` is the session id of the conversation.",
        },
      },
    );
};
