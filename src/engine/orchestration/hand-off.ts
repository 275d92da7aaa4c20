import type { BoundTool } from "../tools/bound-tool.ts";
import type { PatternRun } from "./pattern.ts";

/** A member of a swarm as the others reach it. */
export interface Exit {
  /** The tool's name, where nothing else has it. */
  name: string;
  agent: string;
  /** The entry that makes it a member; the agent that was asked is one without. */
  entry: BoundTool | undefined;
}

/** Takes the conversation to an agent, or says why it stays. */
export type HandOver = (agent: string, reason: string | undefined) => Promise<string | undefined>;

/** The ways to every member: the workers in the order of their entries, then the agent that was asked. */
export function exitsOf({ main, workers }: PatternRun): Exit[] {
  const members = [...main.tools].flatMap(([name, entry]) =>
    entry.worker !== undefined && workers.has(name) ? [{ name, agent: entry.worker, entry }] : [],
  );
  if (members.length === 0) return [];
  const names = new Set(members.map(({ name }) => name));
  return [...members, { name: freeName(main.agent, names), agent: main.agent, entry: undefined }];
}

/** The name, or one like it where something else is called so. */
export function freeName(name: string, taken: { has(name: string): boolean }): string {
  let free = name;
  for (let number = 1; taken.has(free); number++) {
    const suffix = number === 1 ? "_agent" : `_agent_${number}`;
    free = `${name.slice(0, toolNameMax - suffix.length)}${suffix}`;
  }
  return free;
}

/** What providers take for a tool's name. */
const toolNameMax = 64;

/** A call of the tool hands the conversation over; whatever a model sends along is accepted and stands in the conversation. */
export function handOffTool({ name, agent, entry }: Exit, handOver: HandOver): BoundTool {
  const { description, parameters, brief } = entry?.handOff ?? {};
  return {
    tool: {
      name,
      type: "agent",
      description: `Hands the conversation over to ${agent}${description === undefined ? "." : `: ${description}`}`,
      parameters: parameters ?? reasonOnly,
      async execute(input, context) {
        const told = await brief?.(input, context);
        const refusal = await handOver(agent, reasonIn(input));
        if (refusal !== undefined) return { success: false, error: refusal };
        const note = `The conversation was handed over to ${agent}, who goes on with it.`;
        return {
          success: true,
          data: { handed_over_to: agent, note, ...(told === undefined ? {} : { told }) },
        };
      },
      describeCall: () => ({ target: agent, operation: "handoff" }),
    },
    read: (input) => ({ input: input as Record<string, unknown> }),
    timeoutMs: entry?.timeoutMs ?? timeoutMs,
    worker: agent,
    ...(entry?.rateLimit && { rateLimit: entry.rateLimit }),
    ...(entry?.proposes && { proposes: true }),
    ...(entry?.requiresApproval && { requiresApproval: true }),
  };
}

const timeoutMs = 30_000;

const reasonOnly = {
  type: "object",
  properties: { reason: { type: "string", description: "Why, in a few words." } },
};

function reasonIn({ reason }: Record<string, unknown>): string | undefined {
  return typeof reason === "string" && reason.trim() !== "" ? reason.trim() : undefined;
}
