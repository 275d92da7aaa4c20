import type { BuiltinToolList, ToolList } from "../../../contracts/daemon/tools.ts";
import type { FormSchema } from "../../parts/schema-form/schema-form-value.ts";
import { toolTexts as texts } from "../../texts/studio/resources.ts";

/** A tool that can be run here: built in, of agents, or both. */
export interface KnownTool {
  name: string;
  type: string;
  description: string;
  /** Agents that have the tool. */
  agents: readonly string[];
  parameters?: FormSchema;
  /** True if it runs without an agent. */
  isBuiltin: boolean;
}

/** Merges all tools by name, each once per type. An agent's description of a built-in tool replaces the tool's own. */
export function mergeTools(registered: ToolList["tools"], builtins: BuiltinToolList["tools"]): KnownTool[] {
  const tools = new Map<string, KnownTool>();
  for (const { name, description, parameters } of builtins) {
    tools.set(`builtin ${name}`, {
      name,
      type: "builtin",
      description,
      agents: [],
      parameters,
      isBuiltin: true,
    });
  }
  for (const { name, type, description, agents, parameters } of registered) {
    const key = `${type} ${name}`;
    const schema = parameters ?? tools.get(key)?.parameters;
    tools.set(key, {
      name,
      type,
      description,
      agents,
      ...(schema === undefined ? {} : { parameters: schema }),
      isBuiltin: tools.has(key),
    });
  }
  return [...tools.values()].sort((a, b) => a.name.localeCompare(b.name) || a.type.localeCompare(b.type));
}

/** Returns the tool's effects outside of Argosy; undefined if there are none. */
export function effectOf({ name, type }: Pick<KnownTool, "name" | "type">): string | undefined {
  const effects: Record<string, string> = type === "builtin" ? texts.effects : texts.typeEffects;
  const key = type === "builtin" ? name : type;
  return Object.hasOwn(effects, key) ? effects[key] : undefined;
}
