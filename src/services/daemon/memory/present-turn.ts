import type { History } from "../../../contracts/daemon/memory/memory.ts";
import type { NumberedTurn } from "../../../engine/memory/conversation-archive.ts";
import type { ConversationSummary } from "../../../engine/memory/conversation-summary.ts";

type Message = Required<History["messages"][number]>;

/** Converts a turn with all of its fields. */
export function presentTurn({ seq, role, content, at, tokenCount, metadata }: NumberedTurn): Message {
  return { role, content, seq, timestamp: at.toISOString(), token_count: tokenCount, metadata };
}

export function presentSummary(summary: ConversationSummary): NonNullable<History["summary"]> {
  const { text, upTo, tokenCount, at } = summary;
  return { text, up_to_seq: upTo, token_count: tokenCount, timestamp: at.toISOString() };
}
