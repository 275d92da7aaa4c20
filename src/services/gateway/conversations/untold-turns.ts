import { and, desc, eq, inArray, isNotNull, ne, notInArray, or, sql } from "drizzle-orm";
import type { RunTurn } from "../../../contracts/daemon/runs/turns.ts";
import { turnBytesMax, turnsMax } from "../../../contracts/daemon/runs/turns.ts";
import { cutText } from "../../../kit/text/cut-text.ts";
import type { Query } from "../../../storage/storage.ts";
import type { GatewayTables } from "../tables.ts";
import type { ConversationMessageRow } from "./store.ts";

/** What an agent doesn't know yet of its conversation. */
export interface Untold {
  /** Oldest first. */
  turns: RunTurn[];
  /** Ids of the messages that are told by them. */
  ids: string[];
}

/** Room of one turn's fields beside its text. */
const turnFrameBytes = 120;
const contentCharsMax = 16 * 1024;

/**
 * Returns what was said in a conversation since the agent's last turn and that no run of it wrote or answered: what people, programs, templates
 * and the provider's own app wrote, and users' messages that nobody answered. Of too many, the latest. Leaves out `exceptIds`, the messages
 * that are to be answered, and what was never sent.
 */
export async function untoldTurns(
  tx: Query,
  { conversationMessages: messages, outbox }: GatewayTables,
  { tenantId, id }: { tenantId: string; id: string },
  exceptIds: readonly string[],
): Promise<Untold> {
  const rows = await tx
    .select({ message: messages })
    .from(messages)
    .leftJoin(outbox, eq(outbox.id, messages.id))
    .where(
      and(
        eq(messages.tenantId, tenantId),
        eq(messages.conversationId, id),
        isNotNull(messages.untoldBy),
        notInArray(messages.id, [...exceptIds]),
        or(sql`${outbox.status} is null`, ne(outbox.status, "failed")),
        sql`coalesce(${outbox.deliveryStatus}, '') <> 'failed'`,
      ),
    )
    .orderBy(desc(messages.at), desc(messages.id))
    .limit(turnsMax);
  const turns: RunTurn[] = [];
  let bytes = 0;
  for (const { message } of rows) {
    const turn = turnOf(message);
    if (turn === undefined) continue;
    bytes += Buffer.byteLength(JSON.stringify(turn.content)) + turnFrameBytes;
    if (bytes > turnBytesMax) break;
    turns.unshift(turn);
  }
  return { turns, ids: rows.map(({ message }) => message.id) };
}

/** Notes that the agent knows messages. What was older than they is not told any more. */
export async function noteTold(
  tx: Query,
  { conversationMessages: messages }: GatewayTables,
  tenantId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .update(messages)
    .set({ untoldBy: null })
    .where(and(eq(messages.tenantId, tenantId), inArray(messages.id, [...ids]), isNotNull(messages.untoldBy)))
    .returning({ id: messages.id });
}

function turnOf(message: ConversationMessageRow): RunTurn | undefined {
  const { direction, untoldBy, at } = message;
  const content = cutText(saidIn(message), contentCharsMax);
  if (content.trim() === "") return undefined;
  return {
    role: direction === "inbound" ? "user" : "assistant",
    content,
    at: at.toISOString(),
    ...(untoldBy !== null && untoldBy !== "user" && { by: untoldBy }),
  };
}

/** The text of a message, with a line for each of its files, and the wording before an edit. */
function saidIn({ text, firstText, media, kind }: ConversationMessageRow): string {
  if (kind === "deleted") return "[The message was deleted.]";
  const lines = [
    text,
    ...media.map(({ kind, file_name: name, mime_type: type, transcript }) => {
      if (transcript !== undefined && transcript !== "") return `[${kind}] ${transcript}`;
      const fact = name ?? type;
      return fact === undefined ? `[${kind}]` : `[${kind}: ${fact}]`;
    }),
    ...(firstText === null ? [] : [`[edited; before: ${firstText}]`]),
  ];
  return lines.filter((line) => line.trim() !== "").join("\n");
}
