import { firstFreeName } from "../../../contracts/free-name.ts";
import { type BoundTool, readQuickly } from "../../tools/bound-tool.ts";
import type { PatternRun } from "../pattern.ts";

/** A member of a swarm as a target of hand-offs. */
export interface Exit {
  /** Name of its tool, if no other tool has it. */
  name: string;
  agent: string;
  /** Tool entry that makes the agent a member; undefined for the requested agent. */
  entry: BoundTool | undefined;
}

/**
 * Hands the conversation over to an agent, or returns the reason why it can't. If `signal` aborts first, it throws and hands nothing over.
 */
export type HandOver = (
  agent: string,
  reason: string | undefined,
  signal: AbortSignal,
) => Promise<string | undefined>;

/** Targets for every member: the workers in the order of their entries, then the requested agent. */
export function exitsOf({ main, workers }: PatternRun): Exit[] {
  const members = [...main.tools].flatMap(([name, entry]) =>
    entry.worker !== undefined && workers.has(name) ? [{ name, agent: entry.worker, entry }] : [],
  );
  if (members.length === 0) return [];
  const names = new Set(members.map(({ name }) => name));
  return [...members, { name: freeName(main.agent, names), agent: main.agent, entry: undefined }];
}

/** The name, or a similar one if it is taken. */
export function freeName(
  name: string,
  taken: Pick<ReadonlySet<string> | ReadonlyMap<string, unknown>, "has" | "size">,
): string {
  const spell = (number: number) => {
    if (number === 1) return name;
    const suffix = number === 2 ? "_agent" : `_agent_${number - 1}`;
    return `${name.slice(0, toolNameMax - suffix.length)}${suffix}`;
  };
  // A name that ends like a spelling equals one of them, so there may be one spelling less.
  return firstFreeName(spell, (other) => taken.has(other), taken.size + 1);
}

/** Maximum length of a tool's name at providers. */
const toolNameMax = 64;

/** A tool whose call hands the conversation over. It accepts any arguments and adds them to the conversation. */
export function handOffTool({ name, agent, entry }: Exit, handOver: HandOver): BoundTool {
  const { description, parameters, brief } = entry?.handOff ?? {};
  return {
    tool: {
      name,
      type: "agent",
      description: `Hands the conversation over to ${agent}${description === undefined ? "." : `: ${description}`}`,
      parameters: parameters ?? reasonOnly,
      async execute(input, context) {
        const briefing = await brief?.(input, context);
        const refusal = await handOver(agent, reasonIn(input), context.signal);
        if (refusal !== undefined) return { success: false, error: refusal };
        const note = `The conversation was handed over to ${agent}, who goes on with it.`;
        return {
          success: true,
          data: { handed_over_to: agent, note, ...(briefing === undefined ? {} : { told: briefing }) },
        };
      },
      describeCall: () => ({ target: agent, operation: "handoff" }),
    },
    read: readQuickly((input) => ({ input: input as Record<string, unknown> })),
    timeoutMs: entry?.timeoutMs ?? timeoutMs,
    worker: agent,
    hasNoEffects: true,
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
