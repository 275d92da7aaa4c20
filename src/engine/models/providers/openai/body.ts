import { isRecord } from "../../../../kit/json/is-record.ts";
import type {
  BroughtThoughts,
  Message,
  ModelParameters,
  ModelRequest,
  ToolCall,
  ToolChoice,
} from "../../model.ts";
import {
  callParameters,
  createToolsWriter,
  imageUrl,
  onlyChosen,
  textParts,
  toFunction,
} from "../wire/request-parts.ts";
import type { OpenaiDialect } from "./dialect.ts";

/**
 * Creates a function that writes request bodies for one model, called `name` in echoes. Parts that stay the same between calls are
 * serialized once.
 */
export function createBodyWriter(
  name: string,
  model: string,
  parameters: ModelParameters,
  dialect: OpenaiDialect,
): (request: ModelRequest, shape?: string) => string {
  const head = `{"model":${JSON.stringify(model)},"messages":[`;
  const streamed = `,"stream":true${dialect.asksForUsage ? ',"stream_options":{"include_usage":true}' : ""}`;
  const usualTails = [false, true].map((hasTools) => settingsTail(parameters, dialect, hasTools));
  /** A message is sent again with every further call of its run. */
  const messageJson = new WeakMap<Message, string>();
  const toolsJson = createToolsWriter((tools) => tools.map(toFunction));

  const writeTools = (request: ModelRequest): string => {
    if (request.tools.length === 0) return "";
    if (request.toolChoice === "none" && !dialect.obeysToolChoice) return "";
    if (typeof request.toolChoice === "object" && !dialect.obeysToolChoice)
      return `,"tools":${toolsJson(onlyChosen(request))}`;
    const tools = `,"tools":${toolsJson(request.tools)}`;
    if (dialect.omitted.has("tool_choice")) return tools;
    return `${tools},"tool_choice":${JSON.stringify(wireChoice(request.toolChoice))}`;
  };

  /** Every run has a system message of its own, mostly with the same text as the last one, of some kilobytes. */
  let system = { content: "", json: "" };
  const writeSystem = ({ content }: Message): string => {
    if (system.json === "" || system.content !== content)
      system = { content, json: JSON.stringify({ role: dialect.systemRole, content }) };
    return system.json;
  };

  const writeMessage = (message: Message): string => {
    if (message.role === "system") return writeSystem(message);
    const known = messageJson.get(message);
    if (known !== undefined) return known;
    const json = JSON.stringify(toWire(message, name, dialect));
    messageJson.set(message, json);
    return json;
  };

  return (request, shape) => {
    let body = head;
    let separator = "";
    for (const message of request.messages) {
      body += separator;
      body += writeMessage(message);
      separator = ",";
    }
    body += `]${writeTools(request)}`;
    if (request.stream) body += streamed;
    if (shape !== undefined) body += `,${shape}`;
    const own = callParameters(parameters, request);
    const hasTools = request.tools.length > 0;
    return body + (own === undefined ? usualTails[Number(hasTools)] : settingsTail(own, dialect, hasTools));
  };
}

/** The end of a body: the parameters and the closing brace. */
function settingsTail(
  { max_tokens, ...parameters }: ModelParameters,
  { maxTokensField, omitted }: OpenaiDialect,
  hasTools: boolean,
): string {
  const fields: Record<string, unknown> = { ...parameters };
  for (const name of omitted) delete fields[name];
  // OpenAI refuses it without tools.
  if (!hasTools) delete fields.parallel_tool_calls;
  if (maxTokensField !== undefined) fields[maxTokensField] = max_tokens;
  const settings = JSON.stringify(fields).slice(1, -1);
  return settings === "" ? "}" : `,${settings}}`;
}

function wireChoice(choice: ToolChoice): unknown {
  return typeof choice === "string" ? choice : { type: "function", function: { name: choice.tool } };
}

function toWire(message: Message, name: string, dialect: OpenaiDialect): object {
  if (message.role === "user" && message.images !== undefined) {
    return { role: "user", content: [...textParts(message.content), ...message.images.map(imageUrl)] };
  }
  if (message.role === "tool") {
    return { role: "tool", tool_call_id: callId(message.callId, dialect), content: message.content };
  }
  if (message.role !== "assistant" || !message.toolCalls || message.toolCalls.length === 0) {
    return { role: message.role, content: message.content };
  }
  const { fields, extra } = echoed(message, name, dialect);
  return {
    role: "assistant",
    content: message.content === "" ? null : message.content,
    ...fields,
    tool_calls: message.toolCalls.map((call) => callToWire(call, dialect, extra[call.id])),
  };
}

/** What goes back with a turn: what the server itself said, or what the caller brings. */
function echoed(
  { echo, thoughts }: Extract<Message, { role: "assistant" }>,
  name: string,
  { omitted }: OpenaiDialect,
): { fields: Record<string, unknown>; extra: Record<string, unknown> } {
  const own = echo?.of === name && isRecord(echo.content) ? echo.content : broughtFields(thoughts);
  const { extra_content, ...fields } = own;
  for (const field of omitted) delete fields[field];
  const extra = isRecord(extra_content) && !omitted.has("extra_content") ? extra_content : {};
  return { fields, extra };
}

function broughtFields({ text, details = [], extra }: BroughtThoughts = {}): Record<string, unknown> {
  return {
    ...(text !== undefined && { reasoning_content: text }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(extra && { extra_content: extra }),
  };
}

/** Arguments that could not be parsed are sent as `{}`: several servers refuse a history with invalid JSON arguments. */
function callToWire(call: ToolCall, dialect: OpenaiDialect, extra: unknown): object {
  return {
    id: callId(call.id, dialect),
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.input) },
    ...(extra !== undefined && { extra_content: extra }),
  };
}

function callId(id: string, dialect: OpenaiDialect): string {
  return dialect.callId ? dialect.callId(id) : id;
}
