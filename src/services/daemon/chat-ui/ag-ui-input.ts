import type { AgUiInput, AgUiMessage } from "../../../contracts/daemon/chat-ui.ts";
import type { ChatMessage } from "../../../contracts/daemon/openai.ts";
import type { Answer } from "../../../contracts/daemon/questions/question.ts";
import { isRecord } from "../../../kit/json/is-record.ts";
import type { GivenDecision } from "../approvals/decide-approval.ts";
import { invalid } from "../openai/chat-messages.ts";
import type { ChatTurn } from "./begin-chat.ts";

/** As for decisions by the approvals' own routes. */
const commentCharactersMax = 4096;

/** What an AG-UI client did. What it says about itself stands before its messages. */
export function readAgUiInput(input: AgUiInput): ChatTurn {
  const [answer] = input.resume ?? [];
  if (answer !== undefined) {
    const decide = (isQuestion: boolean) => (isQuestion ? answerIn(answer) : decisionIn(answer));
    return { messages: [], decision: { approvalId: answer.interruptId, decide } };
  }
  const messages = input.messages.flatMap((message, index) => toMessage(message, `messages[${index}]`));
  const lines = [...contextOf(input), ...stateOf(input)];
  if (lines.length > 0) messages.unshift({ role: "system", content: lines.join("\n") });
  return { messages };
}

type Resumed = NonNullable<AgUiInput["resume"]>[number];

/** A decision on a call. */
function decisionIn({ payload, status }: Resumed): GivenDecision {
  const given = isRecord(payload) ? payload : { approved: payload };
  if (status === "resolved" && typeof given.approved !== "boolean")
    throw invalid("resume[0].payload.approved", "must be true or false");
  const isApproved = status === "resolved" && given.approved === true;
  const comment = typeof given.comment === "string" ? given.comment : undefined;
  if ((comment?.length ?? 0) > commentCharactersMax)
    throw invalid("resume[0].payload.comment", `can have at most ${commentCharactersMax} characters`);
  return { verdict: isApproved ? "approved" : "rejected", comment };
}

/** The answer to a question of a server: the values of its form. */
function answerIn({ payload, status }: Resumed): GivenDecision {
  if (status === "cancelled") return { verdict: "rejected", cancel: true };
  if (payload === false) return { verdict: "rejected" };
  if (payload === undefined || payload === null || payload === true) return { verdict: "approved" };
  if (!isRecord(payload) || !Object.values(payload).every(isFieldValue))
    throw invalid("resume[0].payload", "must have the values of the form, or be false to decline");
  return { verdict: "approved", answer: payload as Answer };
}

const isFieldValue = (value: unknown) =>
  ["string", "number", "boolean"].includes(typeof value) ||
  (Array.isArray(value) && value.every((one) => typeof one === "string"));

const contextOf = ({ context }: AgUiInput) =>
  (context ?? []).map(({ description, value }) => `${description}: ${value}`);

function stateOf({ state }: AgUiInput): string[] {
  const isEmpty = state == null || (isRecord(state) && Object.keys(state).length === 0);
  return isEmpty ? [] : [`State of the application: ${JSON.stringify(state)}`];
}

function toMessage(message: AgUiMessage, path: string): ChatMessage[] {
  const { role, toolCallId, toolCalls } = message;
  switch (role) {
    case "user":
    case "system":
    case "developer":
      return [{ role, content: contentOf(message, path) }];
    case "assistant": {
      const calls = (toolCalls ?? []).map(({ id, function: { name, arguments: text } }) => ({
        id,
        type: "function" as const,
        function: { name, arguments: text },
      }));
      const content = contentOf(message, path);
      return [{ role, content, ...(calls.length > 0 && { tool_calls: calls }) }];
    }
    case "tool":
      if (toolCallId === undefined) throw invalid(`${path}.toolCallId`, "is required");
      return [{ role, tool_call_id: toolCallId, content: contentOf(message, path) }];
    // Shown to the user only.
    case "reasoning":
    case "activity":
      return [];
    default:
      throw invalid(`${path}.role`, `is ${JSON.stringify(role)}, which AG-UI doesn't have`);
  }
}

function contentOf({ content }: AgUiMessage, path: string): NonNullable<ChatMessage["content"]> {
  if (content === undefined || content === null) return "";
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw invalid(`${path}.content`, "must be a text or a list of parts");
  return content.map((part, index) => {
    if (part.type === "text" && part.text !== undefined) return { type: "text", text: part.text };
    const at = `${path}.content[${index}]`;
    if (part.type !== "image") throw invalid(`${at}.type`, `is ${part.type}; parts are text and image`);
    const { type, value, mimeType } = part.source ?? {};
    if (type !== "data" || !value || !mimeType)
      throw invalid(`${at}.source`, "must have the type data, a value in base64 and a mimeType");
    return { type: "image_url", image_url: { url: `data:${mimeType};base64,${value}` } };
  });
}
