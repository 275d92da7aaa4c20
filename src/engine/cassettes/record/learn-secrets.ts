import { withToolsNow } from "../../agents/live-tools.ts";
import type { RoutedEvent } from "../../models/model-router.ts";
import type { CassetteSecrets } from "../cassette-secrets.ts";
import type { Noted, Recording } from "./recorder.ts";

/**
 * Learns secrets from the inputs of a run: its request, its agents' declarations, and the answers of models, tools and memory. All other
 * requests and events are made from those.
 */
export function learnSecrets({ request, agents, noted }: Recording, secrets: CassetteSecrets): void {
  secrets.learn([request.query, request.context, request.history]);
  for (const agent of agents) {
    secrets.learn(agent.manifest, "declared");
    secrets.learn(withToolsNow(agent).toolSpecs, "declared");
  }
  for (const entry of noted) {
    if (entry.kind === "model") learnModelAnswer(entry, secrets);
    else if (wordsCome.has(entry.kind)) secrets.learn(entry.answer);
  }
}

const wordsCome: ReadonlySet<Noted["kind"]> = new Set(["tool", "memory", "recall"]);

function learnModelAnswer({ answer }: Noted, secrets: CassetteSecrets): void {
  const { events, error } = answer as { events: readonly RoutedEvent[]; error?: unknown };
  secrets.learn(events.map((event) => (event.type === "text" ? event.text : "")).join(""));
  for (const event of events) if (event.type === "tool_call") secrets.learn(event.call);
  secrets.learn(error);
}

/** Names of agents, tools, roles, providers and models, which are never secrets. */
export function namesIn({ agents, noted }: Pick<Recording, "agents" | "noted">): Set<string> {
  const names = new Set<string>();
  for (const agent of agents) {
    names.add(agent.name);
    for (const tool of withToolsNow(agent).tools.keys()) names.add(tool);
  }
  for (const { by, kind, answer } of noted) {
    if (by.role !== undefined) names.add(by.role);
    if (kind !== "model") continue;
    const { events } = answer as { events: readonly RoutedEvent[] };
    for (const event of events) {
      if (event.type !== "chosen") continue;
      names.add(event.provider);
      names.add(event.model);
    }
  }
  return names;
}
