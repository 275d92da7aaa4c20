import { isMentioned } from "../../../contracts/gateway/desk.ts";
import type { GatewayEvent } from "../../../contracts/gateway/events.ts";

/** What a person at the desk is told. */
export interface DeskNotice {
  id: string;
  conversation: string;
  change: "needs_person" | "message" | "mention";
}

/** Ids that are remembered, so that a notice that comes twice is shown once. */
const rememberedMax = 500;

/** Returns the notices among events that concern a person, each once. `seen` remembers them. */
export function noticesFor(
  events: readonly GatewayEvent[],
  person: string | undefined,
  seen: Set<string>,
): DeskNotice[] {
  return events.flatMap(({ about, change, id, conversation_id: conversation, people = [] }) => {
    if (about !== "notice" || id === undefined || conversation === undefined || seen.has(id)) return [];
    if (change !== "needs_person" && change !== "message" && change !== "mention") return [];
    const isTheirs = person !== undefined && (people.includes(person) || isMentioned(person, people));
    if (people.length > 0 && !isTheirs) return [];
    seen.add(id);
    const [oldest] = seen;
    if (seen.size > rememberedMax && oldest !== undefined) seen.delete(oldest);
    return [{ id, conversation, change }];
  });
}
