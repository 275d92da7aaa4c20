import type { ModelRequest, ToolSpec } from "../../model.ts";

/**
 * Creates a function that writes tool lists as JSON. Each list, by identity, is serialized once: otherwise 17 tools take 4 µs per call,
 * compared to 0.2 for a prompt without them.
 */
export function createToolsWriter(
  toWire: (tools: readonly ToolSpec[]) => unknown,
): (tools: readonly ToolSpec[]) => string {
  const written = new WeakMap<readonly ToolSpec[], string>();
  return (tools) => {
    let json = written.get(tools);
    if (json === undefined) {
      json = JSON.stringify(toWire(tools));
      written.set(tools, json);
    }
    return json;
  };
}

/** A tool in OpenAI's format, which most vendors use. */
export function toFunction(tool: ToolSpec): object {
  return { type: "function", function: tool };
}

/** The tools to offer if a server can't name the tool to call: only the chosen one. */
export function onlyChosen({ tools, toolChoice }: ModelRequest): readonly ToolSpec[] {
  return typeof toolChoice === "string" ? tools : tools.filter(({ name }) => name === toolChoice.tool);
}
