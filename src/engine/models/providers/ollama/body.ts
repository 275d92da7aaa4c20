import { isRecord } from "../../../../kit/json/is-record.ts";
import type { Message, ModelParameters, ModelRequest, ReasoningEffort, ToolCall } from "../../model.ts";
import { textOf } from "../wire/json.ts";
import { callParameters, createToolsWriter, onlyChosen, toFunction } from "../wire/request-parts.ts";

/**
 * Creates a function that writes request bodies for one model; `echoOf` is the model's name in echoes. `contextWindow` becomes `num_ctx`,
 * for which the server reserves memory; undefined: the server decides. A prompt that exceeds the window must be an error, because by
 * default the server silently drops the oldest messages.
 */
export function createBodyWriter(
  echoOf: string,
  model: string,
  parameters: ModelParameters,
  contextWindow: number | undefined,
): (request: ModelRequest, shape?: string) => string {
  const head = `{"model":${JSON.stringify(model)},"truncate":false,"options":`;
  const usualOptions = JSON.stringify(toOptions(parameters, contextWindow));
  const toolsJson = createToolsWriter((tools) => tools.map(toFunction));

  return (request, shape) => {
    const own = callParameters(parameters, request);
    const options = own === undefined ? usualOptions : JSON.stringify(toOptions(own, contextWindow));
    const effort = (own ?? parameters).reasoning_effort;
    // The API has no tool choice: to forbid tools they are left out, and to require one only that one is offered.
    const offersTools = request.tools.length > 0 && request.toolChoice !== "none";
    const messages = request.messages.map((message) => toWire(message, echoOf));
    return (
      head +
      options +
      (effort === undefined ? "" : `,"think":${JSON.stringify(thinkOf(model, effort))}`) +
      (offersTools ? `,"tools":${toolsJson(onlyChosen(request))}` : "") +
      (shape === undefined ? "" : `,${shape}`) +
      `,"stream":${request.stream},"messages":${JSON.stringify(messages)}}`
    );
  };
}

/** The models of gpt-oss know levels and can't be kept from thinking, the others are switched (docs.ollama.com, "Thinking"). */
function thinkOf(model: string, effort: ReasoningEffort): boolean | string {
  if (!/gpt-?oss/i.test(model)) return effort !== "none";
  if (effort === "none" || effort === "minimal") return "low";
  return effort === "xhigh" ? "high" : effort;
}

function toOptions(
  { max_tokens, reasoning_effort: _, parallel_tool_calls: __, ...rest }: ModelParameters,
  contextWindow: number | undefined,
): object {
  return { num_ctx: contextWindow, num_predict: max_tokens, ...rest };
}

function toWire(message: Message, echoOf: string): object {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.content };
    case "user":
      return {
        role: "user",
        content: message.content,
        ...(message.images && { images: message.images.map(({ data }) => data) }),
      };
    case "tool":
      // Older servers match a result by the tool's name, newer ones also by the call's id.
      return {
        role: "tool",
        tool_name: message.name,
        tool_call_id: message.callId,
        content: message.content,
      };
    case "assistant": {
      const { content, toolCalls = [], echo, thoughts } = message;
      const own = echo?.of === echoOf && isRecord(echo.content) ? echo.content.thinking : thoughts?.text;
      const thinking = textOf(own);
      return {
        role: "assistant",
        content,
        ...(thinking !== "" && { thinking }),
        ...(toolCalls.length > 0 && { tool_calls: toolCalls.map(toWireCall) }),
      };
    }
  }
}

/** Arguments that could not be parsed are sent as `{}`. */
function toWireCall({ id, name, input }: ToolCall, index: number): object {
  return { id, type: "function", function: { index, name, arguments: input } };
}
