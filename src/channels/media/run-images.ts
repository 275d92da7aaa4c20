import type { RunImage } from "../../contracts/platform/runs/runs.ts";
import type { MessageEvent } from "../inbound/inbound-event.ts";
import type { OutboxAccount } from "../outbox/message-sender.ts";
import { imageTypeOf } from "./image-type.ts";
import type { MediaSource } from "./media-source.ts";

const imagesMax = 4;
/** Bytes of a run's images together: as base64 they fit into a run request. */
const bytesMax = 3 * 1024 * 1024;
/** Kinds of files that runs take as images. */
export const imageKinds: ReadonlySet<string> = new Set(["image", "sticker"]);

/** True for a message with files that a run may take as images. */
export const hasImages = ({ media }: MessageEvent): boolean => media.some(({ kind }) => imageKinds.has(kind));

/** Downloads the images of a message, as far as a run takes them. The others are only named to the agent. */
export async function runImages(
  source: MediaSource,
  account: OutboxAccount,
  { media }: MessageEvent,
  signal: AbortSignal,
): Promise<RunImage[]> {
  const wanted = media.filter(({ kind }) => imageKinds.has(kind)).slice(0, imagesMax);
  const images: RunImage[] = [];
  let left = bytesMax;
  for (const item of wanted) {
    const file = await source.fetch(account, item, left, signal);
    const type = file && imageTypeOf(file.bytes);
    if (file === undefined || type === undefined) continue;
    left -= file.bytes.length;
    images.push({ media_type: type, data: Buffer.from(file.bytes).toString("base64") });
  }
  return images;
}
