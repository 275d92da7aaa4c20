import type { UiChat, UiMessage, UiPart } from "../../../contracts/daemon/chat-ui.ts";
import type { ChatMessage } from "../../../contracts/daemon/openai.ts";
import { invalid } from "../openai/chat-messages.ts";
import type { ChatTurn } from "./begin-chat.ts";

/**
 * What a user of `useChat` did. If the last message is the assistant's, the user answered its last call: with a result or a decision.
 */
export function readUiMessages({ messages }: UiChat): ChatTurn {
  const read = messages.flatMap((message, index) => toMessages(message, `messages[${index}].parts`));
  const last = messages.at(-1);
  if (last?.role !== "assistant") return { messages: read };
  const call = last.parts.findLast(isCall);
  const { approval, state } = call ?? {};
  if (state !== "approval-responded" || approval === undefined) return { messages: read };
  const { id, approved = false, reason } = approval;
  const verdict = approved ? "approved" : "rejected";
  return { messages: read, decision: { approvalId: id, decide: () => ({ verdict, comment: reason }) } };
}

const isCall = ({ type }: UiPart) => type === "dynamic-tool" || type.startsWith("tool-");

function toMessages({ role, parts }: UiMessage, path: string): ChatMessage[] {
  if (role !== "assistant") {
    const content = parts.flatMap((part, index) => toPart(part, role, `${path}[${index}]`));
    return [{ role, content }];
  }
  const messages: ChatMessage[] = [];
  for (const [index, part] of parts.entries()) {
    if (isCall(part)) messages.push(...callMessages(part, `${path}[${index}]`));
    else if (part.type === "text" && part.text) messages.push({ role, content: part.text });
  }
  return messages;
}

/** A call, with its result if it has one. */
function callMessages(part: UiPart, path: string): ChatMessage[] {
  const id = part.toolCallId;
  if (id === undefined) throw invalid(`${path}.toolCallId`, "is required");
  const name = part.type === "dynamic-tool" ? (part.toolName ?? "") : part.type.slice("tool-".length);
  const call = {
    id,
    type: "function" as const,
    function: { name, arguments: JSON.stringify(part.input ?? {}) },
  };
  const content = resultOf(part);
  // A call without a result is not part of a conversation that models accept.
  if (content === undefined) return [];
  return [
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: id, content },
  ];
}

function resultOf({ state, output, errorText }: UiPart): string | undefined {
  if (state === "output-error") return `Error: ${errorText ?? ""}`;
  if (state === "output-denied") return "The call was rejected.";
  if (state !== "output-available") return undefined;
  return typeof output === "string" ? output : JSON.stringify(output ?? null);
}

type ChatPart = Extract<NonNullable<ChatMessage["content"]>, unknown[]>[number];

function toPart({ type, text, url, mediaType }: UiPart, role: string, path: string): ChatPart[] {
  if (type === "text") return [{ type, text: text ?? "" }];
  if (type === "file" && role === "user" && mediaType?.startsWith("image/"))
    return [{ type: "image_url", image_url: { url: url ?? "" } }];
  if (type === "file") throw invalid(`${path}.mediaType`, "must be that of an image, in a user's message");
  // Parts for the interface alone, as the AI SDK's own servers skip them.
  if (type.startsWith("data-") || type.startsWith("source-") || type === "step-start" || type === "reasoning")
    return [];
  throw invalid(`${path}.type`, `is ${JSON.stringify(type)}; parts are text and file`);
}
