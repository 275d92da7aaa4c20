import type { ConversationArchive } from "../../../engine/memory/conversation.ts";
import type { DaemonDeps } from "../deps.ts";

/** Returns the store of an agent's conversations. Throws like `getLoaded`. */
export function conversationsOf(
  { catalog, conversationsOf: storeOf }: Pick<DaemonDeps, "catalog" | "conversationsOf">,
  agent: string,
): ConversationArchive {
  return storeOf(catalog.getLoaded(agent).manifest.spec.memory.conversational);
}
