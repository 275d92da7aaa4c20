import type { ModelParameters, ModelRequest, ToolChoice, ToolSpec } from "../../model.ts";
import { callParameters } from "../wire/call-parameters.ts";
import { systemPrompt } from "../wire/system-prompt.ts";
import { createToolsWriter } from "../wire/tools-json.ts";
import { toTurns } from "./turns.ts";

/*
 * The API requires max_tokens and, with the models that think unasked, counts the thoughts in. Every model served takes this
 * much, and it is still short enough for an answer in one piece (the vendor asks to stream what may take over 10 minutes).
 */
const answerTokensDefault = 16_000;

/*
 * The API caches a prompt up to a marked block, in the order tools, system, messages (platform.claude.com, "Prompt
 * caching"). What stays the same between the calls of a run, and between runs, is marked: the end of the tools, which
 * outlive a change of instructions, and the end of the system prompt. Writing costs a quarter more than reading afresh,
 * once; each call within five minutes then reads them for a tenth. Prompts below the model's minimum (512 to 4,096 tokens)
 * are not cached and cost as ever. The conversation is not marked: an answer without a tool call would pay for nothing.
 */
const marked = { cache_control: { type: "ephemeral" } };

/** A request body, and what echoes of the answer to it will be made under. */
export interface WrittenBody {
  body: string;
  echoOf: string;
}

/**
 * Writes request bodies for one model, called `name` in echoes. What the API has no field for, such as the penalties, is left
 * out: no manifest can declare it, only a caller who doesn't know whom he calls.
 */
export function createBodyWriter(
  name: string,
  model: string,
  parameters: ModelParameters,
): (request: ModelRequest, shape?: string) => WrittenBody {
  const head = `{"model":${JSON.stringify(model)},`;
  const longestAnswer = parameters.max_tokens ?? answerTokensDefault;
  const usualSettings = settings({ ...parameters, max_tokens: longestAnswer });
  const toolsJson = createToolsWriter((tools) => tools.map(toWireTool));

  return (request, shape) => {
    const tools = request.tools.length === 0 ? "" : toolsJson(request.tools);
    const system = systemPrompt(request.messages);
    // Signed thoughts are refused once what stood before them has changed (platform.claude.com, "Preserved thinking").
    const echoOf = `${name}#${Bun.hash(system + tools).toString(36)}`;
    const own = callParameters({ ...parameters, max_tokens: longestAnswer }, request);
    const body =
      head +
      (own === undefined ? usualSettings : settings(own)) +
      (tools === ""
        ? ""
        : `"tools":${tools},"tool_choice":${JSON.stringify(wireChoice(request.toolChoice))},`) +
      (system === "" ? "" : `"system":${JSON.stringify([{ type: "text", text: system, ...marked }])},`) +
      (shape === undefined ? "" : `${shape},`) +
      (request.stream ? '"stream":true,' : "") +
      `"messages":${JSON.stringify(toTurns(request.messages, echoOf))}}`;
    return { body, echoOf };
  };
}

function wireChoice(choice: ToolChoice): object {
  if (typeof choice === "object") return { type: "tool", name: choice.tool };
  return { type: choice === "required" ? "any" : choice };
}

function settings({ max_tokens, temperature, top_p, top_k, stop }: ModelParameters): string {
  const fields = {
    max_tokens,
    temperature,
    top_p,
    top_k,
    stop_sequences: stop,
  };
  return `${JSON.stringify(fields).slice(1, -1)},`;
}

function toWireTool(tool: ToolSpec, index: number, tools: readonly ToolSpec[]): object {
  return {
    name: tool.name,
    ...(tool.description !== "" && { description: tool.description }),
    input_schema: tool.parameters,
    ...(index === tools.length - 1 && marked),
  };
}
