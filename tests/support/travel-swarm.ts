import type { RunEvent } from "../../src/engine/run/run-event.ts";
import { asks, type Stage, type StageOptions, stage } from "./staged-run.ts";

/** The entry of a swarm's member: an agent tool that is called like its agent. */
export const member = (name: string, more: Record<string, unknown> = {}) => ({
  name,
  type: "agent",
  config: { agent: name },
  ...more,
});

/** The clock as a tool of the agent that is asked. */
export const clockTool = { name: "datetime_now", type: "builtin" };

/** A swarm of the agent that is asked, which hands over to `flights` at once, `flights` and `hotels`. */
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

/** What happened, an event an element; hand-offs as `from → to`, tokens left out. */
export const kinds = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) => {
    if (event.type === "handoff") return `${event.from} → ${event.to}`;
    return event.type === "token" ? [] : `${event.type}${"tool" in event ? ` ${event.tool}` : ""}`;
  });

/** The names of the tools that an agent's model was offered in its first call. */
export const toolNames = (run: Stage, name: string): string[] =>
  run.modelOf(name).requests[0]?.tools.map((tool) => tool.name) ?? [];
