import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { GatewaySetup } from "../../../contracts/gateway/directory.ts";
import { formatBytes } from "../../parts/text/format.ts";
import { channelTexts } from "../../texts/gateway/gateway.ts";
import { replyTexts as texts } from "../../texts/gateway/reply.ts";

export type FileKind = "image" | "audio" | "video" | "document";

/** A file before it is uploaded. */
export interface ChosenFile {
  name: string;
  size: number;
  type: string;
}

/** Returns the kind under which a channel sends a file of this type, as the gateway decides it by the bytes. */
export function kindOfFile(type: string): FileKind {
  const [group = ""] = type.toLowerCase().split("/");
  if (group === "image") return /^image\/(?:jpeg|png|webp)\b/i.test(type) ? "image" : "document";
  return group === "audio" || group === "video" ? group : "document";
}

/** Returns why a channel can't send a file, and what it takes; undefined if it can. */
export function problemOfFile(
  { name, size, type }: ChosenFile,
  channel: ChannelName,
  setup: GatewaySetup | undefined,
): string | undefined {
  if (size === 0) return texts.emptyFile(name);
  const limits = setup?.channels.find((one) => one.channel === channel)?.media_bytes_max;
  // The gateway decides if its limits are not known.
  if (setup === undefined || limits === undefined) return undefined;
  if (needsAddress.has(channel) && setup.public_base_url === null) {
    return texts.noAddress(channelTexts[channel]);
  }
  const kind = kindOfFile(type);
  const max = limits[kind];
  if (max === undefined) return texts.kindRefused(name, channelTexts[channel], texts.kinds[kind]);
  if (size <= max) return undefined;
  return texts.tooLarge(name, formatBytes(size), channelTexts[channel], texts.kinds[kind], formatBytes(max));
}

/** Their providers and visitors fetch files from the gateway's public address. */
const needsAddress: ReadonlySet<ChannelName> = new Set(["photo_social", "webchat"]);
