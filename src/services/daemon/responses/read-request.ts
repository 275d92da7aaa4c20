import type { ChatCompletionRequest, ChatMessage } from "../../../contracts/daemon/openai.ts";
import type { ResponseItem, ResponsePart, ResponseRequest } from "../../../contracts/daemon/responses.ts";
import type { DocumentReader } from "../../../retrieval/files/document-reader.ts";
import { invalid } from "../openai/chat-messages.ts";
import { operatorTenant } from "../operator-tenant.ts";
import { readThoughts, type ThoughtFields } from "./reasoning-item.ts";

/** Items of the request, each with where it stands in it. */
export interface PlacedItem {
  item: ResponseItem;
  path: string;
}

export interface ReadPorts {
  reader: DocumentReader;
  signal: AbortSignal;
}

/** The items of a request's input; a text is one message of the user. */
export function inputItems({ input }: Pick<ResponseRequest, "input">): PlacedItem[] {
  if (typeof input === "string")
    return [{ item: { type: "message", role: "user", content: input }, path: "input" }];
  return input.map((item, index) => ({ item, path: `input[${index}]` }));
}

/** The same request as one of Chat Completions, so that both have one admission and one source of events. */
export async function toCompletionRequest(
  request: ResponseRequest,
  items: readonly PlacedItem[],
  sessionId: string | undefined,
  ports: ReadPorts,
): Promise<ChatCompletionRequest> {
  const messages = await toMessages(items, ports);
  if (request.instructions) messages.unshift({ role: "system", content: request.instructions });
  const { temperature, top_p, parallel_tool_calls, tools, tool_choice } = request;
  const format = request.text?.format;
  return {
    model: request.model,
    messages,
    stream: request.stream === true,
    ...(temperature !== undefined && { temperature }),
    ...(top_p !== undefined && { top_p }),
    ...(parallel_tool_calls !== undefined && { parallel_tool_calls }),
    ...(request.max_output_tokens && { max_completion_tokens: request.max_output_tokens }),
    ...(request.reasoning?.effort && { reasoning_effort: request.reasoning.effort }),
    ...(tools && tools.length > 0 && { tools: tools.map(toTool) }),
    ...(tool_choice && {
      tool_choice:
        typeof tool_choice === "string"
          ? tool_choice
          : { type: "function" as const, function: { name: tool_choice.name } },
    }),
    ...(format && { response_format: toFormat(format) }),
    ...(sessionId !== undefined && { metadata: { session_id: sessionId } }),
  };
}

type Tool = NonNullable<ResponseRequest["tools"]>[number];

function toTool({ type, name, description, parameters }: Tool, index: number) {
  if (type !== "function") throw invalid(`tools[${index}].type`, `is ${type}; only functions can be given`);
  return {
    type: "function" as const,
    function: {
      name: required(name, `tools[${index}].name`),
      ...(description && { description }),
      ...(parameters && { parameters }),
    },
  };
}

type Format = NonNullable<NonNullable<ResponseRequest["text"]>["format"]>;

function toFormat(format: Format): NonNullable<ChatCompletionRequest["response_format"]> {
  if (format.type !== "json_schema") return format;
  return { type: "json_schema", json_schema: { name: format.name, schema: format.schema } };
}

async function toMessages(items: readonly PlacedItem[], ports: ReadPorts): Promise<ChatMessage[]> {
  const messages: ChatMessage[] = [];
  /** Thoughts before the turn that they belong to. */
  let ahead: ThoughtFields | undefined;
  for (const { item, path } of items) {
    switch (item.type ?? "message") {
      case "message":
        messages.push(await toMessage(item, path, ports));
        ahead = withThoughts(messages.at(-1), ahead);
        break;
      case "function_call":
        addCall(messages, item, path);
        ahead = withThoughts(messages.at(-1), ahead);
        break;
      case "function_call_output":
        messages.push({
          role: "tool",
          tool_call_id: required(item.call_id, `${path}.call_id`),
          content: await outputText(item, path, ports),
        });
        break;
      case "reasoning":
        ahead = withThoughts(messages.at(-1), readThoughts(item));
        break;
      default:
        throw invalid(`${path}.type`, `is ${item.type}; items are ${itemTypes.join(", ")}`);
    }
  }
  return messages;
}

/** Adds thoughts to the assistant's turn around them. Returns those that wait for a turn to come. */
function withThoughts(
  last: ChatMessage | undefined,
  thoughts: ThoughtFields | undefined,
): ThoughtFields | undefined {
  if (thoughts === undefined || last?.role !== "assistant") return thoughts;
  const { reasoning_content: text, reasoning_details: details, extra } = thoughts;
  if (text !== "") last.reasoning_content = (last.reasoning_content ?? "") + text;
  if (details !== undefined) last.reasoning_details = details;
  for (const call of last.tool_calls ?? [])
    if (extra?.[call.id] !== undefined) call.extra_content = extra[call.id];
  return undefined;
}

const itemTypes = ["message", "function_call", "function_call_output", "reasoning", "item_reference"];

async function toMessage(item: ResponseItem, path: string, ports: ReadPorts): Promise<ChatMessage> {
  const role = required(item.role, `${path}.role`);
  const { content } = item;
  if (typeof content === "string") return { role, content };
  const parts = required(content, `${path}.content`);
  const read = [];
  for (const [index, part] of parts.entries())
    read.push(await toPart(part, role, `${path}.content[${index}]`, ports));
  return { role, content: read };
}

type ChatPart = Extract<NonNullable<ChatMessage["content"]>, unknown[]>[number];

async function toPart(part: ResponsePart, role: string, path: string, ports: ReadPorts): Promise<ChatPart> {
  switch (part.type) {
    case "input_text":
    case "output_text":
    case "text":
      return { type: "text", text: required(part.text, `${path}.text`) };
    case "refusal":
      return { type: "text", text: required(part.refusal, `${path}.refusal`) };
    case "input_image":
      if (role !== "user") throw invalid(`${path}.type`, "is input_image; only messages of user have images");
      if (!part.image_url)
        throw invalid(`${path}.image_url`, "must be a data: URL; stored files are not served");
      return { type: "image_url", image_url: { url: part.image_url } };
    case "input_file":
      if (role !== "user") throw invalid(`${path}.type`, "is input_file; only messages of user have files");
      return { type: "text", text: await fileText(part, path, ports) };
    default:
      throw invalid(`${path}.type`, `is ${part.type}; parts are input_text, input_image, input_file`);
  }
}

/** Reads a file, as those that are ingested are read: models get its text. */
async function fileText(part: ResponsePart, path: string, { reader, signal }: ReadPorts): Promise<string> {
  if (!part.file_data)
    throw invalid(`${path}.file_data`, "must be a data: URL; stored files and addresses are not read");
  const comma = part.file_data.indexOf(",");
  const head = part.file_data.slice(0, Math.max(0, comma));
  const [, contentType] = /^data:([a-zA-Z0-9.+/;= -]{0,200});base64$/.exec(head) ?? [];
  const data = part.file_data.slice(comma + 1);
  if (contentType === undefined || data === "" || !isBase64(data))
    throw invalid(`${path}.file_data`, "must be a data: URL with the file in base64");
  const name = part.filename ?? undefined;
  const file = { bytes: Buffer.from(data, "base64"), contentType, name };
  const { text } = await reader.read(file, signal, operatorTenant);
  return `${name === undefined ? "" : `${name}:\n`}${text}\n`;
}

const isBase64 = (text: string) => text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);

/** Calls of one turn belong to one message of the assistant, with the text before them. */
function addCall(messages: ChatMessage[], item: ResponseItem, path: string): void {
  const call = {
    id: required(item.call_id, `${path}.call_id`),
    type: "function" as const,
    function: {
      name: required(item.name, `${path}.name`),
      arguments: required(item.arguments, `${path}.arguments`),
    },
  };
  const last = messages.at(-1);
  if (last?.role !== "assistant") messages.push({ role: "assistant", content: null, tool_calls: [call] });
  else last.tool_calls = [...(last.tool_calls ?? []), call];
}

async function outputText(item: ResponseItem, path: string, ports: ReadPorts): Promise<string> {
  const output = required(item.output, `${path}.output`);
  if (typeof output === "string") return output;
  let text = "";
  for (const [index, part] of output.entries()) {
    const read = await toPart(part, "tool", `${path}.output[${index}]`, ports);
    text += read.text ?? "";
  }
  return text;
}

function required<T>(value: T | null | undefined, path: string): T {
  if (value === undefined || value === null) throw invalid(path, "is required");
  return value;
}
