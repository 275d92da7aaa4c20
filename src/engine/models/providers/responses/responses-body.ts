import { isRecord } from "../../../../kit/json/is-record.ts";
import type { Message, ModelParameters, ModelRequest, ThoughtDetail, ToolCall } from "../../model.ts";
import type { OpenaiDialect } from "../openai/dialect.ts";
import { callParameters, createToolsWriter, systemPrompt } from "../wire/request-parts.ts";

/*
 * Requests of OpenAI's Responses API (developers.openai.com, API reference, "Create a model response"). Nothing is stored at the server: every
 * request brings the whole conversation, with the sealed thoughts that the model needs back.
 */

/** The format of sealed thoughts among the details that clients carry between requests. */
export const sealedFormat = "openai-responses-v1";

/** The least limit of an answer that the API takes, in tokens. */
const answerTokensMin = 16;

/** Creates a function that writes request bodies for one model, called `name` in echoes. */
export function createResponsesBody(
  name: string,
  model: string,
  parameters: ModelParameters,
): (request: ModelRequest, dialect: OpenaiDialect, shape?: string) => string {
  const toolsJson = createToolsWriter((tools) =>
    tools.map((tool) => ({ type: "function", ...tool, strict: false })),
  );
  return (request, dialect, shape) => {
    const instructions = systemPrompt(request.messages);
    const fields = {
      model,
      ...(instructions !== "" && { instructions }),
      input: request.messages.flatMap((message) => itemsOf(message, name, dialect)),
      store: false,
      ...(!dialect.omitted.has("include") && { include: ["reasoning.encrypted_content"] }),
      ...(request.stream && { stream: true }),
      ...settings(callParameters(parameters, request) ?? parameters, dialect, request.tools.length > 0),
      ...(request.tools.length > 0 &&
        !dialect.omitted.has("tool_choice") && { tool_choice: choiceOf(request.toolChoice) }),
    };
    const tools = request.tools.length === 0 ? "" : `,"tools":${toolsJson(request.tools)}`;
    return `${JSON.stringify(fields).slice(0, -1)}${tools}${shape === undefined ? "" : `,${shape}`}}`;
  };
}

function choiceOf(choice: ModelRequest["toolChoice"]): unknown {
  return typeof choice === "string" ? choice : { type: "function", name: choice.tool };
}

/** The parameters under the API's own names. It has no `stop`, `seed` and penalties. */
function settings(parameters: ModelParameters, { omitted }: OpenaiDialect, hasTools: boolean): object {
  const { temperature, top_p, max_tokens, reasoning_effort, parallel_tool_calls } = parameters;
  return {
    ...(!omitted.has("temperature") && { temperature }),
    ...(!omitted.has("top_p") && { top_p }),
    ...(max_tokens !== undefined && { max_output_tokens: Math.max(max_tokens, answerTokensMin) }),
    ...(reasoning_effort !== undefined && { reasoning: { effort: reasoning_effort } }),
    ...(hasTools && !omitted.has("parallel_tool_calls") && { parallel_tool_calls }),
  };
}

function itemsOf(message: Message, name: string, dialect: OpenaiDialect): object[] {
  switch (message.role) {
    case "system":
      return [];
    case "user":
      return [{ role: "user", content: userContent(message) }];
    case "tool":
      return [
        { type: "function_call_output", call_id: callId(message.callId, dialect), output: message.content },
      ];
    case "assistant": {
      const text = message.content === "" ? [] : [{ role: "assistant", content: message.content }];
      const calls = (message.toolCalls ?? []).map((call) => callItem(call, dialect));
      if (message.echo?.of === name && Array.isArray(message.echo.content))
        return inOrder(message.echo.content, text, calls);
      return [...sealedItems(message.thoughts?.details ?? [], name), ...text, ...calls];
    }
  }
}

function userContent({ content, images }: Extract<Message, { role: "user" }>): unknown {
  if (images === undefined) return content;
  const text = content === "" ? [] : [{ type: "input_text", text: content }];
  return [
    ...text,
    ...images.map(({ mediaType, data }) => ({
      type: "input_image",
      detail: "auto",
      image_url: `data:${mediaType};base64,${data}`,
    })),
  ];
}

/** Arguments that could not be parsed are sent as `{}`. */
function callItem({ id, name, input }: ToolCall, dialect: OpenaiDialect): object {
  return {
    type: "function_call",
    call_id: callId(id, dialect),
    name,
    arguments: JSON.stringify(input),
  };
}

function callId(id: string, dialect: OpenaiDialect): string {
  return dialect.callId ? dialect.callId(id) : id;
}

/** The order in which a model thought, wrote and called: `OutputPart` of each of its items. */
export type OutputPart = { type: "text" } | { type: "call"; at: number } | { type: "thoughts"; item: object };

/** A model's own turn with its thoughts where they were; what the order does not name follows. */
function inOrder(parts: readonly unknown[], text: readonly object[], calls: readonly object[]): object[] {
  const left = new Map<unknown, object>([
    ...text.map((item) => ["text", item] as const),
    ...calls.map((item, at) => [at, item] as const),
  ]);
  const take = (key: unknown): object[] => {
    const item = left.get(key);
    left.delete(key);
    return item === undefined ? [] : [item];
  };
  const ordered = parts.flatMap((part) => {
    if (!isRecord(part)) return [];
    if (part.type === "thoughts") return isRecord(part.item) ? [part.item] : [];
    return take(part.type === "call" ? part.at : "text");
  });
  return [...ordered, ...left.values()];
}

/** The sealed thoughts that a caller brings back; those of other models would be refused. */
function sealedItems(details: readonly ThoughtDetail[], name: string): object[] {
  return details.flatMap(({ type, format, id, data }) =>
    type === "reasoning.encrypted" &&
    format === sealedFormat &&
    (id === undefined || id === name) &&
    typeof data === "string"
      ? [sealedItem(data)]
      : [],
  );
}

/** An item of sealed thoughts. Without an id: the server has stored none that it could look up. */
export function sealedItem(data: string): object {
  return { type: "reasoning", summary: [], encrypted_content: data };
}
