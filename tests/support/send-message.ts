import type { ChannelSender } from "../../src/channels/sending/channel-sender.ts";
import type { OutgoingMessage } from "../../src/channels/sending/outgoing-message.ts";
import type { CallResult } from "../../src/channels/sending/send-result.ts";

/** Result of sending a message; `providerIds` are those of the parts that the provider accepted, also before. */
type SendResult = CallResult & { providerIds: string[]; partsDone: number };

/** Progress of a message of which some parts were sent. */
interface SendProgress {
  partsDone: number;
  providerIds: readonly string[];
}

/**
 * Sends the parts of a message in order, starting after those of `progress`, and stops at the first that is not accepted. With the result
 * as the next progress, no part is sent twice.
 */
export async function sendMessage(
  sender: ChannelSender,
  message: OutgoingMessage,
  progress: SendProgress = { partsDone: 0, providerIds: [] },
): Promise<SendResult> {
  const providerIds = [...progress.providerIds];
  let { partsDone } = progress;
  let current = message;
  let last: CallResult = { outcome: "accepted", providerId: undefined };
  for (const part of sender.parts(message).slice(partsDone)) {
    const result = await sender.sendPart(current, part);
    if (result.outcome !== "accepted") return { ...result, providerIds, partsDone };
    partsDone++;
    if (result.providerId !== undefined) providerIds.push(result.providerId);
    if (result.movedTo !== undefined) current = { ...current, to: result.movedTo };
    last = current.to === message.to ? result : { ...result, movedTo: current.to };
  }
  return { ...last, providerIds, partsDone };
}
