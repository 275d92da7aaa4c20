import type { History } from "../../../../contracts/daemon/memory/memory.ts";
import type {
  ConversationArchive,
  ConversationSummary,
  NumberedTurn,
  SessionKey,
} from "../../../../engine/memory/conversation.ts";
import { decodeCursor, encodeCursor } from "../../../../http/page-cursor.ts";

/** Query parameters of a history. */
export interface HistoryQuery {
  limit: number;
  /** `next_cursor` of the previous page, which has later messages. */
  cursor?: string | undefined;
  /** True to return all fields of each message and the summary. */
  full: boolean;
  paged: boolean;
}

/** Returns the latest messages of a session, or those before the cursor, oldest first. */
export async function readHistory(
  store: ConversationArchive,
  { agent, sessionId, tenant }: SessionKey,
  { limit, cursor, full, paged }: HistoryQuery,
): Promise<History> {
  const key = { tenant, agent, sessionId };
  const [place] = cursor === undefined ? [] : decodeCursor(cursor);
  const before = typeof place === "number" ? place : undefined;
  const page = await store.page(key, { limit: paged ? limit + 1 : limit, before });
  const turns = page.slice(-limit);
  const [first] = turns;
  const summary = full && first !== undefined ? await store.summaries.find(key) : undefined;
  return {
    agent,
    session_id: sessionId,
    messages: turns.map((turn) => (full ? presentTurn(turn) : { role: turn.role, content: turn.content })),
    ...(summary && { summary: presentSummary(summary) }),
    ...(paged && first !== undefined && page.length > limit && { next_cursor: encodeCursor([first.seq]) }),
  };
}

type Message = Required<History["messages"][number]>;

/** Converts a turn with all of its fields. */
export function presentTurn({ seq, role, content, at, tokenCount, metadata }: NumberedTurn): Message {
  return { role, content, seq, timestamp: at.toISOString(), token_count: tokenCount, metadata };
}

export function presentSummary(summary: ConversationSummary): NonNullable<History["summary"]> {
  const { text, upTo, tokenCount, at } = summary;
  return { text, up_to_seq: upTo, token_count: tokenCount, timestamp: at.toISOString() };
}
