import type { ModelParameters, ModelRequest, ReasoningEffort, ToolChoice, ToolSpec } from "../../model.ts";
import { callParameters, createToolsWriter, systemPrompt } from "../wire/request-parts.ts";
import { toTurns } from "./turns.ts";

/*
 * Default for max_tokens, which the API requires and which includes the thoughts of models that think by default. Every model supports this
 * value, and answers of this length don't have to be streamed (the vendor asks for streaming above 10 minutes).
 */
const answerTokensDefault = 16_000;

/*
 * Marks the end of a cached part. The API caches a prompt up to a marked block, in the order tools, system, messages (platform.claude.com,
 * "Prompt caching"). We mark the end of the tools, which stay the same if instructions change, and the end of the system prompt. Writing to
 * the cache costs 25 % more than normal input; calls within the next five minutes read it for 10 %. Prompts below the model's minimum (512
 * to 4,096 tokens) are not cached and cost the normal price. The conversation is not marked: an answer without a tool call would pay for it
 * without a benefit.
 */
const marked = { cache_control: { type: "ephemeral" } };

/** A request body, and the `of` value for echoes of its answer. */
export interface WrittenBody {
  body: string;
  echoOf: string;
}

/**
 * Creates a function that writes request bodies for one model, called `name` in echoes. Parameters that the API lacks, such as the
 * penalties, are left out: manifests can't declare them, only requests can.
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
    // The API refuses signed thoughts if the text before them has changed (platform.claude.com, "Preserved thinking").
    const echoOf = `${name}#${Bun.hash(system + tools).toString(36)}`;
    const own = callParameters({ ...parameters, max_tokens: longestAnswer }, request);
    const body =
      head +
      (own === undefined ? usualSettings : settings(own)) +
      (tools === ""
        ? ""
        : `"tools":${tools},"tool_choice":${JSON.stringify(wireChoice(request.toolChoice))},`) +
      (system === "" ? "" : `"system":${JSON.stringify([{ type: "text", text: system, ...marked }])},`) +
      outputConfig(shape, (own ?? parameters).reasoning_effort) +
      (request.stream ? '"stream":true,' : "") +
      `"messages":${JSON.stringify(toTurns(request.messages, echoOf))}}`;
    return { body, echoOf };
  };
}

/** How the answer is made: its shape, and the effort (platform.claude.com, "Effort"). Without effort the model is kept from thinking. */
function outputConfig(shape: string | undefined, effort: ReasoningEffort | undefined): string {
  const thinking = effort === "none" ? '"thinking":{"type":"disabled"},' : "";
  const level = effort === "none" ? undefined : effort === "minimal" ? "low" : effort;
  const fields = [shape, level && `"effort":"${level}"`].filter((field) => field !== undefined);
  return thinking + (fields.length === 0 ? "" : `"output_config":{${fields.join(",")}},`);
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
