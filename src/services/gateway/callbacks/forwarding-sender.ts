import type { MediaSource } from "../../../channels/media/media-source.ts";
import type {
  MessageSender,
  OutboxAccount,
  SendResult,
  TryOutcome,
} from "../../../channels/outbox/message-sender.ts";
import { type PostCallback, postCallback } from "../../../channels/sending/post-callback.ts";
import type { ForwardedMedia, ForwardedMessage } from "../../../contracts/gateway/messages.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { startDeadline } from "../../../kit/deadline.ts";
import type { Logger } from "../../../kit/log.ts";
import { traceParentOf } from "../../../kit/trace-parent.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import { requireSealer } from "../accounts/credentials.ts";
import { findBindingOf, openConfig } from "../bindings/store.ts";
import type { GatewayStorage } from "../tables.ts";

export interface CallbackPorts {
  storage: GatewayStorage;
  sealer: Sealer | undefined;
  media: MediaSource;
  post: PostCallback;
  clock: Clock;
  log: Logger;
}

/** Time for the files of one message. With the 30 seconds of the callback, a try ends before its lease. */
const mediaMs = 12_000;
/** Files of one message, together. */
const mediaBytesMax = 24 * 1024 * 1024;

/** Sends what is for a callback to the binding's address, and everything else by `inner`. */
export function createForwardingSender(inner: MessageSender, ports: CallbackPorts): MessageSender {
  return {
    ...inner,
    async send(account, message, part): Promise<TryOutcome> {
      const { forward } = message;
      if (forward === undefined) return inner.send(account, message, part);
      const traceparent = traceParentOf(message.token, message.trace);
      const result = await post(ports, account, forward, traceparent);
      return { result, channelMessageId: undefined };
    },
  };
}

async function post(
  ports: CallbackPorts,
  account: OutboxAccount,
  { media, ...message }: ForwardedMessage,
  traceparent: string,
): Promise<SendResult> {
  const { storage, sealer, log } = ports;
  const binding = await findBindingOf(storage.read, storage.tables, account.tenantId, account.id);
  const config = binding === undefined ? {} : openConfig(requireSealer(sealer), binding);
  const { callback_url: url, callback_secret: secret } = config;
  if (url === undefined) return { action: "final", code: "callback_removed" };
  const files = await fetchFiles(ports, account, media);
  const body = JSON.stringify({ ...message, ...(files.length > 0 && { media: files }) });
  return postCallback(ports.post, { url, secret, traceparent, body }, (err) =>
    log.error("callback.failed", { account: account.id, err }),
  );
}

interface CallbackFile {
  kind: string;
  mime_type?: string;
  data_base64?: string;
  unavailable?: true;
}

async function fetchFiles(
  { media: source, clock }: CallbackPorts,
  account: OutboxAccount,
  media: readonly ForwardedMedia[],
): Promise<CallbackFile[]> {
  const files: CallbackFile[] = [];
  let left = mediaBytesMax;
  const patience = startDeadline(
    clock,
    mediaMs,
    () => new AppError("upstream_timed_out", "media_timed_out", "The provider was slow."),
  );
  try {
    for (const item of media) {
      const file = await source.fetch(account, item, left, patience.signal).catch(() => undefined);
      if (file === undefined) {
        files.push({ kind: item.kind, unavailable: true });
        continue;
      }
      left -= file.bytes.length;
      const data = Buffer.from(file.bytes).toString("base64");
      files.push({ kind: item.kind, mime_type: file.mimeType, data_base64: data });
    }
    return files;
  } finally {
    patience.dispose();
  }
}
