import type { ConversationArchive } from "../../../../engine/memory/conversation.ts";
import type { ConversationSettings } from "../../../../engine/memory/memory-strategy.ts";
import type { AgentCatalog } from "../../agents/agent-catalog.ts";

export interface ConversationDeps {
  catalog: AgentCatalog;
  /** Returns the store of conversations that a manifest's settings select. */
  conversationsOf: (settings: ConversationSettings | undefined) => ConversationArchive;
}

/** Returns the store of an agent's conversations. Throws like `getLoaded`. */
export async function conversationsOf(
  { catalog, conversationsOf: storeOf }: ConversationDeps,
  agent: string,
): Promise<ConversationArchive> {
  return storeOf((await catalog.getLoaded(agent)).manifest.spec.memory.conversational);
}
