import { Elysia } from "elysia";
import { AgUiInput, UiChat } from "../../../contracts/daemon/chat-ui.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import type { Call } from "../../../http/call.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import type { RunDeps } from "../runs/admit-run.ts";
import { locateAgent } from "../runs/locate-agent.ts";
import { type EventForm, streamEvents } from "../runs/stream-run.ts";
import { agUiForm } from "./ag-ui-form.ts";
import { readAgUiInput } from "./ag-ui-input.ts";
import { beginChat, type ChatTurn, clientToolsOf, requireClientTools } from "./begin-chat.ts";
import { uiMessageForm } from "./ui-message-form.ts";
import { readUiMessages } from "./ui-messages.ts";

const tags = ["interfaces"];

/** Agents in the protocols of chat interfaces: AG-UI, and the UI messages of the AI SDK. */
export const chatUiRoutes = (deps: RunDeps) =>
  new Elysia({ prefix: "/v1/agents" })
    .use(jsonRoutes())
    .post(
      "/:name/ag-ui",
      async ({ params: { name }, body, request, call }) => {
        const clientTools = await clientToolsOf(deps, name);
        await locateAgent(deps, name, { sender: "stranger" });
        requireClientTools(body.tools ?? [], clientTools);
        const turn = readAgUiInput(body);
        const form = agUiForm(body, { clientTools, newId: deps.newId });
        return stream(deps, name, turn, { request, call, form });
      },
      {
        ...jsonBody(AgUiInput),
        detail: {
          tags,
          operationId: "runAgentForAgUi",
          summary: "Runs an agent for an AG-UI client",
          description: "Streams the events of AG-UI 1.0. The client's messages are the conversation.",
        },
      },
    )
    .post(
      "/:name/ui-messages",
      async ({ params: { name }, body, request, call }) => {
        const clientTools = await clientToolsOf(deps, name);
        const isContinued = body.messages.at(-1)?.role === "assistant";
        const form = uiMessageForm({ clientTools, newId: deps.newId, isContinued });
        const response = await stream(deps, name, readUiMessages(body), { request, call, form });
        response.headers.set("x-vercel-ai-ui-message-stream", "v1");
        return response;
      },
      {
        ...jsonBody(UiChat),
        detail: {
          tags,
          operationId: "runAgentForUiMessages",
          summary: "Runs an agent for `useChat` of the AI SDK",
          description: "Streams the AI SDK's UI messages. The client's messages are the conversation.",
        },
      },
    );

interface ChatReader {
  request: Request;
  call: Call;
  form: EventForm;
}

function stream(deps: RunDeps, name: string, turn: ChatTurn, reader: ChatReader): Promise<Response> {
  const { requestId } = reader.call;
  const begin = async function* (signal: AbortSignal) {
    yield* await beginChat(deps, name, turn, { signal, requestId });
  };
  return streamEvents(deps, begin, reader);
}
