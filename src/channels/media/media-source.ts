import type { ForwardedMedia } from "../../contracts/gateway/messages.ts";
import type { OutboxAccount } from "../outbox/message-sender.ts";

/** A file as its provider gave it. */
export interface FetchedFile {
  bytes: Uint8Array;
  mimeType: string;
}

/** Downloads the files of users' messages from their provider. */
export interface MediaSource {
  /** Returns undefined for a file that can't be had, or has more than `bytesMax` bytes. Rejects only if `signal` aborts. */
  fetch(
    account: OutboxAccount,
    media: ForwardedMedia,
    bytesMax: number,
    signal: AbortSignal,
  ): Promise<FetchedFile | undefined>;
}
