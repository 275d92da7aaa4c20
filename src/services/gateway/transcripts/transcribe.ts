import { and, asc, eq, gte, isNotNull, lte, ne } from "drizzle-orm";
import type { ConversationMedia } from "../../../contracts/gateway/admin.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import type { Query } from "../../../storage/storage.ts";
import { noteWords } from "../desk/message-words.ts";
import type { EventFeed } from "../events/event-feed.ts";
import { type MediaFileRow, readBytes } from "../media/store.ts";
import { noteMeasure } from "../reports/measure.ts";
import type { GatewayStorage, GatewayTables } from "../tables.ts";

/*
 * A voice message is kept first, and then transcribed. Its message gets the text, for the desk and the search, or why there is none; the file
 * stays as it is. A run that is to answer it waits for one of both.
 */

/** A model that writes down what is said. */
export interface Transcriber {
  transcribe(
    file: { bytes: Uint8Array; mimeType: string; fileName: string | null },
    signal: AbortSignal,
  ): Promise<{ text: string; audioMs: number | undefined }>;
}

export interface TranscriptPorts {
  storage: GatewayStorage;
  sealer: Sealer | undefined;
  /** Undefined: voice messages are not transcribed. */
  transcriber: Transcriber | undefined;
  /** Counts what is transcribed. */
  transcribed: (outcome: "done" | "failed", audioMs: number) => void;
  feed: EventFeed;
  clock: Clock;
  log: Logger;
}

/** Files that are transcribed at one time, and those of one tenant among them. */
const [atOnceMax, ofTenantMax] = [8, 2];
const lookedAt = 64;
/** Longer than a try takes: until then, no other process tries. */
const leaseMs = 90_000;
/** Waits after the first failed try and the second. An answer of the agent waits for them. */
const waitsMs = [2_000, 10_000];
/** Messages of the conversation among which the file's is looked for. */
const messagesMax = 200;

type Outcome = Pick<ConversationMedia, "transcript" | "transcript_error">;

/** Transcribes kept voice messages until none is due. Several processes may do so. */
export async function transcribeFiles(ports: TranscriptPorts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const due = await dueFiles(ports);
    const claimed = (await Promise.all(due.map((file) => claim(ports, file)))).filter(
      (file) => file !== undefined,
    );
    if (claimed.length === 0) return;
    await Promise.all(claimed.map((file) => transcribe(ports, file, signal)));
  }
}

async function dueFiles({ storage: { read, tables }, clock }: TranscriptPorts): Promise<MediaFileRow[]> {
  const { mediaFiles } = tables;
  const rows = await read
    .select()
    .from(mediaFiles)
    .where(
      and(
        isNotNull(mediaFiles.transcript),
        ne(mediaFiles.state, "wanted"),
        lte(mediaFiles.dueAt, clock.now()),
      ),
    )
    .orderBy(asc(mediaFiles.dueAt))
    .limit(lookedAt);
  const perTenant = Map.groupBy(rows, ({ tenantId }) => tenantId);
  return [...perTenant.values()].flatMap((some) => some.slice(0, ofTenantMax)).slice(0, atOnceMax);
}

/** Counts a try. Returns undefined if another process was faster. */
async function claim(
  { storage, clock }: TranscriptPorts,
  { id, tenantId, tries }: MediaFileRow,
): Promise<MediaFileRow | undefined> {
  const { mediaFiles } = storage.tables;
  const [row] = await storage.transact((tx) =>
    tx
      .update(mediaFiles)
      .set({ tries: tries + 1, dueAt: new Date(clock.now().getTime() + leaseMs) })
      .where(
        and(
          eq(mediaFiles.tenantId, tenantId),
          eq(mediaFiles.id, id),
          isNotNull(mediaFiles.transcript),
          eq(mediaFiles.tries, tries),
        ),
      )
      .returning(),
  );
  return row;
}

/** Transcribes a kept file once; `tries` counts this one. */
async function transcribe(ports: TranscriptPorts, file: MediaFileRow, signal: AbortSignal): Promise<void> {
  const { storage, sealer, transcriber, transcribed, clock, log } = ports;
  if (file.state !== "kept" || transcriber === undefined || sealer === undefined)
    return finish(ports, file, { transcript_error: file.state === "kept" ? "not_configured" : "file_gone" });
  // Processes died over it.
  if (file.tries > waitsMs.length + 1) return finish(ports, file, { transcript_error: "interrupted" });
  try {
    const pieces = await Array.fromAsync(readBytes({ storage, sealer }, file));
    const { mimeType, fileName } = file;
    const found = await transcriber.transcribe({ bytes: Buffer.concat(pieces), mimeType, fileName }, signal);
    transcribed("done", found.audioMs ?? 0);
    await finish(ports, file, { transcript: found.text.trim() }, found.audioMs ?? 0);
  } catch (err) {
    if (signal.aborted) return;
    log.warn("media.not_transcribed", { file: file.id, err });
    const code = err instanceof AppError ? err.code : "failed";
    const isRefused = err instanceof AppError && err.kind === "invalid";
    const waitMs = isRefused ? undefined : waitsMs[file.tries - 1];
    if (waitMs === undefined) {
      transcribed("failed", 0);
      return finish(ports, file, { transcript_error: code });
    }
    const { mediaFiles } = storage.tables;
    await storage.transact((tx) =>
      tx
        .update(mediaFiles)
        .set({ dueAt: new Date(clock.now().getTime() + waitMs) })
        .where(
          and(
            eq(mediaFiles.tenantId, file.tenantId),
            eq(mediaFiles.id, file.id),
            eq(mediaFiles.tries, file.tries),
          ),
        )
        .returning({ id: mediaFiles.id }),
    );
  }
}

/** Gives the outcome to the file's message, in the transaction that settles the file. */
async function finish(
  { storage, clock, feed }: TranscriptPorts,
  file: MediaFileRow,
  outcome: Outcome,
  audioMs?: number,
): Promise<void> {
  const { tables } = storage;
  const { mediaFiles } = tables;
  const told = await storage.transact(
    async (tx) => {
      const [settled] = await tx
        .update(mediaFiles)
        .set({ transcript: null })
        .where(
          and(
            eq(mediaFiles.tenantId, file.tenantId),
            eq(mediaFiles.id, file.id),
            eq(mediaFiles.tries, file.tries),
          ),
        )
        .returning();
      if (settled === undefined) return undefined;
      const message = await tell(tx, tables, settled, outcome);
      if (message !== undefined && audioMs !== undefined) {
        const { id, tenantId } = settled;
        const { channel } = message;
        const measured = {
          id,
          tenantId,
          channel,
          measure: "transcription" as const,
          value: Math.round(audioMs),
        };
        await noteMeasure(tx, tables, { ...measured, at: clock.now() });
      }
      return message;
    },
    { isolation: "read committed" },
  );
  if (told === undefined) return;
  const { tenantId, channel, conversationId } = told;
  feed.publish({
    about: "conversation",
    change: "message",
    tenant_id: tenantId,
    channel,
    conversation_id: conversationId,
    ...(file.accountId !== null && { account_id: file.accountId }),
  });
}

/** The message of a file is of the file's conversation, and of its time or later. Undefined if it was deleted. */
async function tell(
  tx: Query,
  tables: GatewayTables,
  { id: fileId, tenantId, conversationId, createdAt }: MediaFileRow,
  outcome: Outcome,
) {
  if (conversationId === null) return undefined;
  const { conversationMessages: messages } = tables;
  const rows = await tx
    .select()
    .from(messages)
    .where(
      and(
        eq(messages.tenantId, tenantId),
        eq(messages.conversationId, conversationId),
        gte(messages.at, createdAt),
      ),
    )
    .orderBy(asc(messages.at), asc(messages.id))
    .limit(messagesMax);
  const message = rows.find(({ media }) => media.some(({ id }) => id === fileId));
  if (message === undefined) return undefined;
  const media = message.media.map((one) => (one.id === fileId ? { ...one, ...outcome } : one));
  await tx
    .update(messages)
    .set({ media })
    .where(and(eq(messages.tenantId, tenantId), eq(messages.id, message.id)))
    .returning({ id: messages.id });
  if (outcome.transcript !== undefined) await noteWords(tx, tables, { ...message, text: outcome.transcript });
  return message;
}
