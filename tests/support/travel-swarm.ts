import type { RunEvent } from "../../src/engine/run-state/run-event.ts";
import { asks, type Stage, type StageOptions, stage } from "./staged-run.ts";

/** The entry of a swarm's member: an agent tool with its agent's name. */
export const member = (name: string, more: Record<string, unknown> = {}) => ({
  name,
  type: "agent",
  config: { agent: name },
  ...more,
});

/** The clock as a tool of the entry agent. */
export const clockTool = { name: "datetime_now", type: "builtin" };

/** A swarm of the entry agent, which hands over to `flights` at once, `flights` and `hotels`. */
export function travel({
  spec,
  agents,
  orchestration,
  ...options
}: StageOptions & { orchestration?: object } = {}): Stage {
  return stage({
    calls: [asks("", "flights")],
    ...options,
    spec: {
      prompts: { system: "You plan journeys." },
      orchestration: { pattern: "swarm", ...orchestration },
      tools: [member("flights", { description: "Books flights." }), member("hotels"), clockTool],
      ...spec,
    },
    agents: {
      flights: { spec: { prompts: { system: "You book flights." }, tools: [] }, calls: ["Booked."] },
      hotels: { spec: { prompts: { system: "You book rooms." } }, calls: ["A room."] },
      ...agents,
    },
  });
}

/** Formats events, one per element; hand-offs as `from → to`, without tokens. */
export const kinds = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) => {
    if (event.type === "handoff") return `${event.from} → ${event.to}`;
    return event.type === "token" ? [] : `${event.type}${"tool" in event ? ` ${event.tool}` : ""}`;
  });

/** Returns the names of the tools in the first call of an agent's model. */
export const toolNames = (run: Stage, name: string): string[] =>
  run.modelOf(name).requests[0]?.tools.map((tool) => tool.name) ?? [];
