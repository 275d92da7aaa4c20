import { cutText } from "../../kit/text/cut-text.ts";
import type { InboundMedia, MessageEvent } from "./inbound-event.ts";

const queryCharsMax = 256 * 1024;

/**
 * Returns true if a message has nothing to answer: no text, no payload of a button or form, and no file that can be had. Its run would be
 * paid for a query that nobody wrote.
 */
export const saysNothing = ({ text, data, media }: MessageEvent): boolean =>
  text.trim() === "" &&
  (data ?? "").trim() === "" &&
  !media.some(({ id, url }) => id !== undefined || url !== undefined);

/** Returns the query of the run that answers a message: its text, or the payload of its button, with a line for each file. */
export function queryOf(
  { text, data, media }: MessageEvent,
  isUnavailable: (media: InboundMedia) => boolean = () => false,
): string {
  const lines = [
    text.trim() === "" ? (data ?? "") : text,
    ...media.map((item) => mediaLine(item, isUnavailable(item))),
  ];
  return cutText(lines.filter((line) => line.trim() !== "").join("\n"), queryCharsMax);
}

function mediaLine({ kind, fileName, mimeType, isVoice }: InboundMedia, isMissing: boolean): string {
  const name = isVoice === true ? "voice message" : kind;
  const facts = [fileName, fileName === undefined ? mimeType : undefined].filter(
    (fact) => fact !== undefined,
  );
  return `[${[name, ...facts].join(": ")}${isMissing ? ", unavailable" : ""}]`;
}

/** Returns what the context of a run says about a file. */
export function namedMedia(media: InboundMedia, isUnavailable = false): Record<string, unknown> {
  const { kind, mimeType, fileName, bytes, isVoice, url } = media;
  return {
    kind,
    ...(isUnavailable && { unavailable: true }),
    ...(mimeType !== undefined && { mime_type: mimeType }),
    ...(fileName !== undefined && { file_name: fileName }),
    ...(bytes !== undefined && { bytes }),
    ...(isVoice === true && { voice: true }),
    // A shared link has no file.
    ...(kind === "link" && url !== undefined && { url }),
  };
}
