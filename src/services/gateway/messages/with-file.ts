import { and, eq } from "drizzle-orm";
import { channels } from "../../../channels/channel-registry.ts";
import { safeFileName } from "../../../channels/inbound/delivered-text.ts";
import type { MediaKind } from "../../../channels/sending/outgoing-message.ts";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { MessageContent } from "../../../contracts/gateway/messages.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Query } from "../../../storage/storage.ts";
import type { FileLinks } from "../media/file-links.ts";
import { findFile } from "../media/store.ts";
import type { GatewayTables } from "../tables.ts";
import type { GivenContent } from "./check-content.ts";

/** Channels whose providers, or visitors, fetch files from an address; to the others a file is uploaded. */
const byAddress: ReadonlySet<ChannelName> = new Set(["photo_social", "webchat"]);

/**
 * Returns the content with what is known of its uploaded file, and ties the file to the conversation. Throws 404 for a file that the tenant
 * doesn't have, and 400 for one that the channel can't send.
 */
export async function withFile(
  { storage: { tables }, links }: { storage: { tables: GatewayTables }; links: FileLinks },
  tx: Query,
  {
    tenantId,
    channel,
    conversationId,
  }: { tenantId: string; channel: ChannelName; conversationId: string | null },
  { media, ...content }: GivenContent,
): Promise<MessageContent> {
  if (media === undefined) return content;
  if (media.id === undefined) return { ...content, media: { ...media, kind: media.kind as MediaKind } };
  const file = await findFile(tx, tables, media.id, tenantId);
  if (file?.state !== "kept") throw new AppError("not_found", "not_found", `There is no file ${media.id}.`);
  const kind = media.kind ?? (file.kind as MediaKind);
  const bytesMax = channels.get(channel)?.limits.mediaBytesMax[kind] ?? 0;
  if (file.bytes > bytesMax) {
    throw invalid(`media[0] has ${file.bytes} bytes; ${channel} takes at most ${bytesMax} for ${kind}.`);
  }
  const url = byAddress.has(channel) ? links.linkTo(file) : undefined;
  if (byAddress.has(channel) && url === undefined) {
    throw invalid(`${channel} fetches files, and this gateway has no public address; send a url.`);
  }
  if (conversationId !== null && file.conversationId === null) {
    const { mediaFiles } = tables;
    await tx
      .update(mediaFiles)
      .set({ conversationId })
      .where(and(eq(mediaFiles.tenantId, tenantId), eq(mediaFiles.id, file.id)))
      .returning({ id: mediaFiles.id });
  }
  const filename = safeFileName(media.filename) ?? file.fileName ?? undefined;
  return {
    ...content,
    media: {
      ...media,
      kind,
      mime_type: file.mimeType,
      ...(filename !== undefined && { filename }),
      ...(url !== undefined && { url }),
    },
  };
}

const invalid = (message: string) => new AppError("invalid", "invalid_request", message);
