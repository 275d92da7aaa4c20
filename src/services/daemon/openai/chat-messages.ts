import type { ChatCompletionRequest, ChatMessage } from "../../../contracts/daemon/openai.ts";
import type { Message, ToolCall } from "../../../engine/models/model.ts";
import { AppError } from "../../../kit/app-error.ts";

/** The messages of a Chat Completions request as the engine has them. */
export function readMessages(request: ChatCompletionRequest): Message[] {
  const toolNames = new Map<string, string>();
  return request.messages.map((message, index) => readMessage(message, `messages[${index}]`, toolNames));
}

/** `toolNames` remembers by call id what was called: a tool's answer names only the id. */
function readMessage(message: ChatMessage, path: string, toolNames: Map<string, string>): Message {
  const content = textOf(message, `${path}.content`);
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", content };
    case "user":
      return { role: "user", content };
    case "assistant": {
      const toolCalls = (message.tool_calls ?? []).map((call): ToolCall => {
        toolNames.set(call.id, call.function.name);
        return { id: call.id, name: call.function.name, ...readArguments(call.function.arguments) };
      });
      return toolCalls.length === 0
        ? { role: "assistant", content }
        : { role: "assistant", content, toolCalls };
    }
    case "tool": {
      const callId = message.tool_call_id;
      if (callId === undefined) throw invalid(`${path}.tool_call_id`, "is needed in a tool message");
      return { role: "tool", callId, name: toolNames.get(callId) ?? message.name ?? "", content };
    }
  }
}

function textOf(message: ChatMessage, path: string): string {
  const { content } = message;
  if (content === undefined || content === null) return "";
  if (typeof content === "string") return content;
  return content
    .map((part, index) => {
      if (part.type === "text" && part.text !== undefined) return part.text;
      throw invalid(`${path}[${index}]`, "is not text; this version reads text only");
    })
    .join("");
}

function readArguments(text: string): Pick<ToolCall, "input" | "unparsable"> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { input: value as Record<string, unknown> };
    }
  } catch {
    // Said below, as for any other text that is no object.
  }
  return { input: {}, unparsable: text };
}

/** The refusal of one field of a request. */
export function invalid(path: string, message: string): AppError {
  return new AppError("invalid", "invalid_request", `${path} ${message}.`, {
    details: { problems: [{ path, message }] },
  });
}
