import { isRecord } from "../../../../kit/json/is-record.ts";
import type { Message, ModelParameters, ModelRequest, ToolCall } from "../../model.ts";
import { textOf } from "../wire/json.ts";
import {
  callParameters,
  createToolsWriter,
  imageUrl,
  onlyChosen,
  systemPrompt,
  textParts,
  toFunction,
} from "../wire/request-parts.ts";

/** Creates a function that writes request bodies for one model; `echoOf` is the model's name in echoes. */
export function createBodyWriter(
  echoOf: string,
  model: string,
  parameters: ModelParameters,
): (request: ModelRequest, shape?: string) => string {
  const head = `{"model":${JSON.stringify(model)},`;
  const usualSettings = settings(parameters);
  const toolsJson = createToolsWriter((tools) => tools.map(toFunction));

  return (request, shape) => {
    const own = callParameters(parameters, request);
    return (
      head +
      (own === undefined ? usualSettings : settings(own)) +
      (request.tools.length === 0 ? "" : `"tools":${toolsJson(onlyChosen(request))},${wireChoice(request)}`) +
      (shape === undefined ? "" : `${shape},`) +
      `"stream":${request.stream},"messages":${JSON.stringify(toWire(request.messages, echoOf))}}`
    );
  };
}

/** The field for the tool choice. The default is free choice, and a single tool can't be named. */
function wireChoice({ toolChoice }: ModelRequest): string {
  if (toolChoice === "auto") return "";
  return `"tool_choice":"${toolChoice === "none" ? "NONE" : "REQUIRED"}",`;
}

/** Ends in a comma unless it is empty. */
function settings({ top_p, top_k, stop, reasoning_effort, ...rest }: ModelParameters): string {
  // Its models think or don't (docs.cohere.com, "Reasoning").
  const thinking = reasoning_effort && { type: reasoning_effort === "none" ? "disabled" : "enabled" };
  const fields = JSON.stringify({ ...rest, p: top_p, k: top_k, stop_sequences: stop, thinking }).slice(1, -1);
  return fields === "" ? "" : `${fields},`;
}

/**
 * The system messages joined into one, which must come first, then the other messages. Empty turns are left out, because the API refuses
 * them.
 */
function toWire(messages: readonly Message[], echoOf: string): object[] {
  const system = systemPrompt(messages);
  const turns = messages.flatMap((message) => toTurn(message, echoOf) ?? []);
  return system === "" ? turns : [{ role: "system", content: system }, ...turns];
}

function toTurn(message: Message, echoOf: string): object | undefined {
  switch (message.role) {
    case "system":
      return undefined;
    case "user":
      if (message.images !== undefined)
        return { role: "user", content: [...textParts(message.content), ...message.images.map(imageUrl)] };
      return message.content === "" ? undefined : { role: "user", content: message.content };
    case "tool":
      return { role: "tool", tool_call_id: message.callId, content: message.content };
    case "assistant": {
      const { content, toolCalls = [], echo, thoughts: brought } = message;
      if (content === "" && toolCalls.length === 0) return undefined;
      const thoughts =
        echo?.of === echoOf && isRecord(echo.content) ? echo.content : { thinking: brought?.text };
      const thinking = textOf(thoughts.thinking);
      const plan = textOf(thoughts.tool_plan);
      return {
        role: "assistant",
        ...(thinking !== ""
          ? {
              content: [
                { type: "thinking", thinking },
                ...(content === "" ? [] : [{ type: "text", text: content }]),
              ],
            }
          : content !== "" && { content }),
        ...(plan !== "" && { tool_plan: plan }),
        ...(toolCalls.length > 0 && { tool_calls: toolCalls.map(toWireCall) }),
      };
    }
  }
}

/** Arguments that could not be parsed are sent as `{}`. */
function toWireCall({ id, name, input }: ToolCall): object {
  return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
}
