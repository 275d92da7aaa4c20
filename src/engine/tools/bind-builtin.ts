import { Value } from "@sinclair/typebox/value";
import type { Problem } from "../../kit/app-error.ts";
import { didYouMean } from "../../kit/text/did-you-mean.ts";
import { publishedSchema } from "../../manifest/schema/json-schema.ts";
import type { BuiltinTool, ToolPorts } from "./builtin/builtin-tool.ts";
import { builtinTools } from "./builtin/registry.ts";
import { readByTypeBox } from "./input-schema.ts";
import type { Tool } from "./tool.ts";
import type { BindEntry, TypedTool } from "./tool-type.ts";

/** `type: builtin`: a built-in tool with the entry's options. */
export const bindBuiltin: BindEntry<"builtin"> = (entry, { path, ports }) => {
  const builtin = builtinTools.get(entry.name);
  if (!builtin) return { problems: [{ path: `${path}.name`, message: unknownName(entry.name) }] };
  const problems: Problem[] = [];
  if (entry.parameters !== undefined) {
    problems.push({ path: `${path}.parameters`, message: "can't be changed for a built-in tool" });
  }
  const options = Value.Default(builtin.options, { ...entry.config });
  for (const { path: key, message } of Value.Errors(builtin.options, options)) {
    problems.push({ path: `${path}.config${key.replaceAll("/", ".")}`, message });
  }
  if (problems.length > 0) return { problems };
  const optionProblems = builtin.problems?.(options as Record<string, unknown>, ports) ?? [];
  if (optionProblems.length > 0) {
    return {
      problems: optionProblems.map(({ key, message }) => ({ path: `${path}.config.${key}`, message })),
    };
  }
  const tool = builtinWith(builtin, entry.config, ports, entry.description);
  // A timeout in the tool's options takes precedence over the entry's.
  const { timeout_seconds: seconds = entry.timeout_seconds } = entry.config;
  return { ...tool, timeoutMs: Number(seconds) * 1000 };
};

/** The tool with these options. If they are insufficient, a call returns an error. */
export function builtinWith(
  builtin: BuiltinTool,
  config: Record<string, unknown>,
  ports: ToolPorts,
  description = builtin.description,
): Omit<TypedTool, "timeoutMs"> {
  const { name, describeCall, asksModel, hasNoEffects, isRepeatable } = builtin;
  const options = Value.Default(builtin.options, { ...config }) as Record<string, unknown>;
  const parameters = builtin.parametersWith?.(options) ?? builtin.parameters;
  return {
    tool: {
      name,
      type: "builtin",
      description,
      parameters: publishedSchema(parameters),
      execute: Value.Check(builtin.options, options) ? builtin.build(options, ports) : unconfigured(name),
      ...(describeCall && { describeCall: (input) => describeCall(input, options) }),
    },
    read: readByTypeBox(parameters),
    ...(asksModel && { asksModel }),
    ...(hasNoEffects && { hasNoEffects }),
    ...(isRepeatable && { isRepeatable: (input) => isRepeatable(input, options) }),
  };
}

function unconfigured(name: string): Tool["execute"] {
  const error = `${name} needs configuration; name an agent whose tool entry has it.`;
  return async () => ({ success: false, error });
}

function unknownName(name: string): string {
  const near = didYouMean(name, builtinTools.keys());
  return `${name} is not a built-in tool; ${near ? `did you mean ${near}?` : `there are ${[...builtinTools.keys()].join(", ")}`}`;
}
