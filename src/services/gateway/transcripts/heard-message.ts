import { and, eq, inArray } from "drizzle-orm";
import type { MessageEvent } from "../../../channels/inbound/inbound-event.ts";
import type { ConversationMedia } from "../../../contracts/gateway/admin.ts";
import type { Query } from "../../../storage/storage.ts";
import type { InboundRow } from "../inbound/schema.ts";
import type { GatewayStorage, GatewayTables } from "../tables.ts";
import type { Transcriber } from "./transcribe.ts";

/** A message is answered without a transcript that takes longer. */
const waitedMs = 60_000;
const lookMs = 500;

/** Adds to a message what its voice messages say; `waitMs`: they are still being transcribed. */
export async function transcriptsOf(
  { storage: { tables }, transcriber }: { storage: GatewayStorage; transcriber: Transcriber | undefined },
  tx: Query,
  row: InboundRow,
  event: MessageEvent,
  now: Date,
): Promise<{ event: MessageEvent; waitMs: number }> {
  if (transcriber === undefined) return { event, waitMs: 0 };
  const stored = await storedMedia(tx, tables, row.tenantId, [row.id, ...(event.joined ?? [])]);
  // An edit or a withdrawal changed them.
  if (stored.length !== event.media.length) return { event, waitMs: 0 };
  const isOpen = (index: number) => {
    const { transcript, transcript_error: error } = stored[index] ?? {};
    return transcript === undefined && error === undefined;
  };
  const voices = event.media.flatMap(({ kind, isTooLarge }, index) =>
    kind === "audio" && isTooLarge !== true && stored[index]?.id !== undefined ? [index] : [],
  );
  const isLate = now.getTime() - row.receivedAt.getTime() >= waitedMs;
  if (!isLate && voices.some(isOpen)) return { event, waitMs: lookMs };
  const media = event.media.map((one, index) => {
    if (!voices.includes(index)) return one;
    const { transcript, transcript_error: error } = stored[index] ?? {};
    return {
      ...one,
      ...(transcript !== undefined && transcript !== "" && { transcript }),
      ...(transcript === undefined && { transcriptError: error ?? "timed_out" }),
    };
  });
  return { event: { ...event, media }, waitMs: 0 };
}

/** Files of messages, in the order of the messages. */
async function storedMedia(
  tx: Query,
  { conversationMessages: messages }: GatewayTables,
  tenantId: string,
  ids: readonly string[],
): Promise<ConversationMedia[]> {
  const rows = await tx
    .select({ id: messages.id, media: messages.media })
    .from(messages)
    .where(and(eq(messages.tenantId, tenantId), inArray(messages.id, [...ids])));
  return ids.flatMap((id) => rows.find((row) => row.id === id)?.media ?? []);
}
