import type { Message, ModelParameters, ModelRequest, ToolCall } from "../../model.ts";
import { callParameters } from "../wire/call-parameters.ts";
import { isRecord, textOf } from "../wire/json.ts";
import { createToolsWriter, onlyChosen, toFunction } from "../wire/tools-json.ts";

/**
 * Writes request bodies for one model; `echoOf` names the model in echoes. `contextWindow` becomes `num_ctx`, for which the
 * server makes room when it loads the model; undefined leaves it to the server. What exceeds the window is to be an error: the
 * server drops the oldest messages otherwise and says nothing.
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
    // There is no choice to send: forbidding tools means leaving them out, and naming one means offering it alone.
    const offersTools = request.tools.length > 0 && request.toolChoice !== "none";
    const messages = request.messages.map((message) => toWire(message, echoOf));
    return (
      head +
      options +
      (offersTools ? `,"tools":${toolsJson(onlyChosen(request))}` : "") +
      (shape === undefined ? "" : `,${shape}`) +
      `,"stream":${request.stream},"messages":${JSON.stringify(messages)}}`
    );
  };
}

function toOptions({ max_tokens, ...rest }: ModelParameters, contextWindow: number | undefined): object {
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
      // Older servers know a result by the tool's name alone, newer ones by the call's id too.
      return {
        role: "tool",
        tool_name: message.name,
        tool_call_id: message.callId,
        content: message.content,
      };
    case "assistant": {
      const { content, toolCalls = [], echo } = message;
      const thinking = echo?.of === echoOf && isRecord(echo.content) ? textOf(echo.content.thinking) : "";
      return {
        role: "assistant",
        content,
        ...(thinking !== "" && { thinking }),
        ...(toolCalls.length > 0 && { tool_calls: toolCalls.map(toWireCall) }),
      };
    }
  }
}

/** Arguments that didn't parse go back as `{}`. */
function toWireCall({ id, name, input }: ToolCall, index: number): object {
  return { id, type: "function", function: { index, name, arguments: input } };
}
