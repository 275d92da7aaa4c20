import type { Problem } from "../../../kit/app-error.ts";
import type { ToolEntry } from "../../../manifest/agent/tools.ts";
import type { BoundTool } from "../bound-tool.ts";
import { builtinTools } from "../builtin/registry.ts";
import { internalToolRows } from "../internal/registry.ts";
import type { EntryPlace, ToolSource, TypedTool } from "../tool-type.ts";
import type { OwnTool, OwnTools } from "./own-tools.ts";

type InternalEntry = Extract<ToolEntry, { type: "internal" }>;

/** The reason why a custom tool may not have a name, as the end of a sentence; undefined if it may. */
export function takenName(name: string): string | undefined {
  if (builtinTools.has(name)) return `has the name of a built-in tool: ${name}; choose another`;
  return internalToolRows.has(name)
    ? `has a name that Argosy uses itself: ${name}; choose another`
    : undefined;
}

/**
 * `type: internal` in an operator's agent: a tool from the workspace's `tools/` folder in its current version. Its existence is checked for
 * all agents together, because files may be added and removed.
 */
export function bindOwnTool(
  entry: InternalEntry,
  { path, ports }: EntryPlace,
  ownTools: OwnTools,
): { source: ToolSource } | { problems: Problem[] } {
  const { name, parameters, config } = entry;
  const problems: Problem[] = [];
  if (builtinTools.has(name)) {
    problems.push({ path: `${path}.type`, message: `${name} is a built-in tool; write type: builtin` });
  } else if (internalToolRows.has(name)) {
    problems.push({ path: `${path}.name`, message: `${name} is for agents of the platform's tenants` });
  }
  if (parameters !== undefined) {
    problems.push({
      path: `${path}.parameters`,
      message: "can't be given: the tool's file says what it takes",
    });
  }
  const secrets: Record<string, string> = {};
  for (const [key, variable] of Object.entries(config.secrets)) {
    const value = ports.secret(variable);
    if (value !== undefined) secrets[key] = value;
    else
      problems.push({
        path: `${path}.config.secrets.${key}`,
        message: `names ${variable}, which is not set`,
      });
  }
  if (problems.length > 0) return { problems };

  let seen: OwnTool | undefined;
  let tools: readonly TypedTool[] = [];
  return {
    source: {
      entry: name,
      now() {
        const ownTool = ownTools.find(name);
        if (ownTool !== seen) {
          seen = ownTool;
          tools = ownTool === undefined ? [] : [typedTool(entry, ownTool, secrets, ownTools)];
        }
        return tools;
      },
      ready: () => ownTools.ready(),
      otherName: () => name,
    },
  };
}

/** A custom tool for callers without an agent: no secrets, and a time limit of 30 seconds. */
export function boundToNobody(own: OwnTool, ownTools: OwnTools): BoundTool {
  return typedTool({ timeout_seconds: 30 }, own, {}, ownTools);
}

function typedTool(
  entry: Pick<InternalEntry, "description" | "timeout_seconds">,
  own: OwnTool,
  secrets: Readonly<Record<string, string>>,
  ownTools: OwnTools,
): TypedTool {
  const { name, parameters, read } = own;
  return {
    tool: {
      name,
      type: "internal",
      description: entry.description ?? own.description,
      parameters,
      async execute(input, { sessionId, agent, signal, log }) {
        return ownTools.call(own, { input, context: { session_id: sessionId, agent, secrets }, signal, log });
      },
      describeCall: () => ({ target: own.file, operation: own.writes ? "write" : "read" }),
    },
    read,
    ...(!own.writes && { isRepeatable: () => true }),
    timeoutMs: entry.timeout_seconds * 1000,
  };
}
