import { Type } from "@sinclair/typebox";
import type { Problem } from "../../kit/app-error.ts";
import { collectProblems } from "../../manifest/fault.ts";
import { declaredParameters } from "./input-schema.ts";
import type { ToolContext } from "./tool.ts";
import type { BindEntry } from "./tool-type.ts";

type Input = Record<string, unknown>;

/** Fallback limit: the agent's own deadline or that of the parent run comes first. */
const TIMEOUT_MS = 3_600_000;

const defaultParameters = Type.Object(
  {
    query: Type.String({
      description: "What the agent is asked, with all it needs to know: it does not see this conversation.",
      minLength: 1,
    }),
  },
  { additionalProperties: false },
);

/**
 * `type: agent`: a call runs another agent in the same session. The entry's time limit is that run's deadline, so that the run ends and is
 * counted before the call does.
 */
export const bindAgentTool: BindEntry<"agent"> = (entry, { path, ports, templates, schemas }) => {
  const { name, description, timeout_seconds } = entry;
  const { agent, context_transform } = entry.config;
  const problems: Problem[] = [];
  const declared = declaredParameters(entry.parameters, defaultParameters, `${path}.parameters`, schemas);
  if ("problems" in declared) problems.push(...declared.problems);
  const template =
    context_transform === undefined
      ? undefined
      : collectProblems(problems, () =>
          ports.templates.compile(`${path}.config.context_transform`, context_transform, templates),
        );
  if (problems.length > 0 || "problems" in declared) return { problems };

  const ask =
    template && ((input: Input, context: ToolContext) => template.render(transformVariables(input, context)));
  const time = timeout_seconds === undefined ? {} : { timeoutMs: timeout_seconds * 1000 };
  return {
    tool: {
      name,
      type: "agent",
      description: description ?? `Asks the agent ${agent} and returns its answer.`,
      parameters: declared.parameters,
      async execute(input, context) {
        const query = ask ? await ask(input, context) : queryOf(input);
        if (query.trim() === "") {
          return {
            success: false,
            error: `${name} made an empty question of this input; say what is asked.`,
          };
        }
        return context.runAgent({
          agent,
          query,
          context: contextOf(input, context),
          signal: context.signal,
          ...time,
        });
      },
      describeCall: () => ({ target: agent, operation: "run" }),
    },
    read: declared.read,
    timeoutMs: TIMEOUT_MS,
    worker: agent,
    // The run inside reports its own calls.
    hasNoEffects: true,
    handOff: {
      ...(description === undefined ? {} : { description }),
      ...(entry.parameters === undefined ? {} : { parameters: entry.parameters }),
      ...(ask && { brief: ask }),
    },
  };
};

function queryOf(input: Input): string {
  return typeof input.query === "string" ? input.query : JSON.stringify(input);
}

/** Fields from a model can't override the caller's or the platform's context. */
function contextOf({ query: _, ...fields }: Input, { asked }: ToolContext): Input {
  const open = Object.entries(fields).filter(([key]) => !key.startsWith("_"));
  return { ...Object.fromEntries(open), ...asked?.context };
}

function transformVariables(input: Input, { agent, sessionId, asked }: ToolContext): Input {
  const context = Object.entries(asked?.context ?? {}).filter(([key]) => !key.startsWith("_"));
  return {
    ...input,
    input,
    user_query: asked?.query ?? "",
    session_id: sessionId,
    agent_name: agent,
    context: Object.fromEntries(context),
  };
}
