import type { ChatCompletionRequest, ChatMessage } from "../../../contracts/daemon/openai.ts";
import type {
  BroughtThoughts,
  ImagePart,
  ImageType,
  Message,
  ToolCall,
} from "../../../engine/models/model.ts";
import { AppError } from "../../../kit/app-error.ts";
import { isRecord } from "../../../kit/json/is-record.ts";

/** Converts the messages of a Chat Completions request to the engine's form. */
export function readMessages(request: Pick<ChatCompletionRequest, "messages">): Message[] {
  const toolNames = new Map<string, string>();
  return request.messages.map((message, index) => readMessage(message, `messages[${index}]`, toolNames));
}

/** `toolNames` maps call ids to tool names, because a tool's answer contains only the id. */
function readMessage(message: ChatMessage, path: string, toolNames: Map<string, string>): Message {
  const content = textOf(message, `${path}.content`);
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", content };
    case "user":
      return { role: "user", content, ...imagesOf(message, `${path}.content`) };
    case "assistant": {
      const toolCalls = (message.tool_calls ?? []).map((call): ToolCall => {
        toolNames.set(call.id, call.function.name);
        return { id: call.id, name: call.function.name, ...readArguments(call.function.arguments) };
      });
      return toolCalls.length === 0
        ? { role: "assistant", content }
        : { role: "assistant", content, toolCalls, ...thoughtsOf(message) };
    }
    case "tool": {
      const callId = message.tool_call_id;
      if (callId === undefined) throw invalid(`${path}.tool_call_id`, "is required in a tool message");
      return { role: "tool", callId, name: toolNames.get(callId) ?? message.name ?? "", content };
    }
  }
}

/** What a client brings back of a turn's thoughts. */
function thoughtsOf(message: ChatMessage): { thoughts?: BroughtThoughts } {
  const extra = (message.tool_calls ?? []).flatMap(({ id, extra_content: data }) =>
    isRecord(data) ? [[id, data] as const] : [],
  );
  const thoughts = {
    ...(message.reasoning_content && { text: message.reasoning_content }),
    ...(message.reasoning_details && { details: message.reasoning_details }),
    ...(extra.length > 0 && { extra: Object.fromEntries(extra) }),
  };
  return Object.keys(thoughts).length === 0 ? {} : { thoughts };
}

function textOf(message: ChatMessage, path: string): string {
  const { content } = message;
  if (content === undefined || content === null) return "";
  if (typeof content === "string") return content;
  return content
    .map((part, index) => {
      if (part.type === "text" && part.text !== undefined) return part.text;
      if (part.type === "image_url" && message.role === "user") return "";
      const what = message.role === "user" ? "text and image_url parts" : "text parts";
      throw invalid(
        `${path}[${index}]`,
        `has the type ${part.type}; messages of ${message.role} have ${what}`,
      );
    })
    .join("");
}

function imagesOf({ content }: ChatMessage, path: string): { images?: ImagePart[] } {
  if (!Array.isArray(content)) return {};
  const images = content.flatMap((part, index) =>
    part.type === "image_url" ? readImage(part.image_url?.url ?? "", `${path}[${index}].image_url.url`) : [],
  );
  return images.length === 0 ? {} : { images };
}

const imageTypes: readonly string[] = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/** Reads a `data:` URL. Other addresses are refused, because a model server that fetches them would expose its network. */
function readImage(url: string, path: string): ImagePart {
  const comma = url.indexOf(",");
  const [, mediaType] = /^data:(image\/[a-z]+);base64$/.exec(url.slice(0, Math.max(0, comma))) ?? [];
  if (mediaType === undefined) throw invalid(path, "must be a data: URL with the image in base64");
  if (!imageTypes.includes(mediaType))
    throw invalid(path, `has the type ${mediaType}; images are ${imageTypes.join(", ")}`);
  const data = url.slice(comma + 1);
  if (data === "" || !isBase64(data)) throw invalid(path, "is not valid base64");
  return { mediaType: mediaType as ImageType, data };
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}

function readArguments(text: string): Pick<ToolCall, "input" | "unparsable"> {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) {
      return { input: value };
    }
  } catch {
    // Handled below, like any text that is not an object.
  }
  return { input: {}, unparsable: text };
}

/** Creates the error for one invalid field of a request. */
export function invalid(path: string, message: string): AppError {
  return new AppError("invalid", "invalid_request", `${path} ${message}.`, {
    details: { problems: [{ path, message }] },
  });
}
