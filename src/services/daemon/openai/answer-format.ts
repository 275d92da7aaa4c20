import type { ChatCompletionRequest } from "../../../contracts/daemon/openai.ts";
import type { Message, ToolChoice } from "../../../engine/models/model.ts";
import type { StructuredOutput } from "../../../engine/structured/structured-output.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { AnswerFormats } from "./answer-formats.ts";
import { invalid } from "./chat-messages.ts";

/** Compiles the JSON that `response_format` asks for; undefined where the answer is free text. Throws 400 with the faults of the schema. */
export async function answerFormat(
  { response_format }: ChatCompletionRequest,
  formats: AnswerFormats,
): Promise<StructuredOutput | undefined> {
  if (!response_format || response_format.type === "text") return undefined;
  if (response_format.type === "json_object")
    return getFormat(formats, "object", { type: "object" }, "response_format");
  const { name, schema } = response_format.json_schema;
  return getFormat(formats, name, schema, "response_format.json_schema.schema");
}

/**
 * Compiles the arguments of a tool call that the caller forces, which is how some clients request structured answers. Returns undefined
 * without such a call. An agent accepts no other tools, because it has its own.
 */
export async function forcedCall(
  { tools, tool_choice }: ChatCompletionRequest,
  formats: AnswerFormats,
): Promise<ForcedCall | undefined> {
  if (tools === undefined || tools.length === 0) return undefined;
  const [only] = tools;
  const named = typeof tool_choice === "object" ? tool_choice?.function.name : undefined;
  const isForced = tools.length === 1 && (tool_choice === "required" || named === only?.function.name);
  if (only === undefined || !isForced)
    throw invalid(
      "tools",
      "can't be set for an agent, which has its own tools, except for one tool that it must call",
    );
  const { name, parameters = { type: "object" } } = only.function;
  return { name, shape: await getFormat(formats, name, parameters, "tools[0].function.parameters") };
}

export interface ForcedCall {
  name: string;
  shape: StructuredOutput;
}

async function getFormat(
  formats: AnswerFormats,
  name: string,
  schema: Record<string, unknown>,
  path: string,
): Promise<StructuredOutput> {
  try {
    return await formats.get(name.replace(/[^a-zA-Z0-9_-]/g, "_"), withoutDialect(schema), path);
  } catch (thrown) {
    const problems = thrown instanceof AppError ? thrown.details.problems : undefined;
    const [first] = problems ?? [];
    if (first === undefined) throw thrown;
    throw new AppError("invalid", "invalid_request", `${first.path} ${first.message}.`, {
      details: { problems: problems ?? [] },
    });
  }
}

/**
 * Removes the `$schema` that clients' libraries add. Schemas of drafts 4 to 2020-12 are the same in all keywords that we read, and keywords
 * that changed are refused by name.
 */
function withoutDialect({ $schema, ...schema }: Record<string, unknown>): Record<string, unknown> {
  const isKnown = typeof $schema === "string" && /^https?:\/\/json-schema\.org\//.test($schema);
  return $schema === undefined || isKnown ? schema : { $schema, ...schema };
}

/** Appends the required answer format to the system prompt, because many servers refuse a second system message. */
export function withFormat(messages: readonly Message[], { instruction }: StructuredOutput): Message[] {
  const [first, ...rest] = messages;
  if (first?.role !== "system") return [{ role: "system", content: instruction }, ...messages];
  return [{ role: "system", content: `${first.content}\n\n${instruction}` }, ...rest];
}

/** Converts the choice of tools to the engine's form. Throws 400 for a tool that was not given. */
export function toolChoiceOf({ tools, tool_choice }: ChatCompletionRequest): ToolChoice {
  if (!tool_choice) return "auto";
  if (typeof tool_choice === "string") {
    if (tool_choice === "required" && !tools?.length) throw invalid("tool_choice", "needs tools");
    return tool_choice;
  }
  const { name } = tool_choice.function;
  if (!tools?.some((tool) => tool.function.name === name))
    throw invalid("tool_choice.function.name", `names ${name}, which is not one of the tools`);
  return { tool: name };
}
