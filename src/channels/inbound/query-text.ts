import { cutText } from "../../kit/text/cut-text.ts";
import { present } from "./delivered-text.ts";
import type { InboundMedia, MessageEvent, MessageReply } from "./inbound-event.ts";

const queryCharsMax = 256 * 1024;

/**
 * Returns true if a message has nothing to answer: no text, no payload of a button or form, and no file that can be had. Its run would be
 * paid for a query that nobody wrote.
 */
export const saysNothing = ({ text, data, media }: MessageEvent): boolean =>
  text.trim() === "" &&
  (data ?? "").trim() === "" &&
  !media.some(({ id, url }) => id !== undefined || url !== undefined);

/** True for a shared post or a mention without a word to us. */
export const isShare = ({ text, data, media }: MessageEvent): boolean =>
  text.trim() === "" && data === undefined && media.length > 0 && media.every(({ kind }) => kind === "link");

/**
 * Returns the query of the run that answers a message: its text with the id or payload of what was pressed, because buttons of one label differ
 * only by these, and a line for each file.
 */
export function queryOf(
  event: MessageEvent,
  isUnavailable: (media: InboundMedia) => boolean = () => false,
): string {
  const { text, data, reply, media } = event;
  const lines = [
    text.trim() === "" ? (data ?? "") : text,
    ...replyLines(text.trim() === "" ? (data ?? "") : text, reply),
    ...media.map((item) => mediaLine(item, isUnavailable(item))),
  ];
  return cutText(spoken(event, lines.filter((line) => line.trim() !== "").join("\n")), queryCharsMax);
}

function replyLines(text: string, { id, description, payload, data }: MessageReply = {}): string[] {
  const facts = { id, payload, ...(typeof data === "string" && { data }) };
  return [
    ...(description === undefined ? [] : [description]),
    ...Object.entries(facts).flatMap(([name, value]) =>
      value === undefined || value === text ? [] : [`[${name}: ${value}]`],
    ),
  ];
}

/** What the context of a run says of a message beside its text: what was pressed, the ad or story it came from, and when it was written. */
export const saidAround = ({ reply, referral, sentAt }: MessageEvent): Record<string, unknown> => ({
  ...(reply !== undefined && Object.keys(reply).length > 0 && { reply }),
  ...(referral !== undefined && {
    referral: present({
      source: referral.source,
      id: referral.ref,
      headline: referral.title,
      url: referral.url,
    }),
  }),
  ...(sentAt !== undefined && { sent_at: sentAt.toISOString() }),
});
/** Returns a text of a group with who says it. */
export const spoken = ({ speaker }: Pick<MessageEvent, "speaker">, text: string): string =>
  speaker === undefined ? text : `${speaker}: ${text}`.trimEnd();

function mediaLine(
  { kind, fileName, mimeType, isVoice, transcript, transcriptError }: InboundMedia,
  isMissing: boolean,
): string {
  const name = isVoice === true ? "voice message" : kind;
  if (transcript !== undefined) return `[${name}] ${transcript}`;
  if (transcriptError !== undefined) return `[${name}, not transcribed]`;
  const facts = [fileName, fileName === undefined ? mimeType : undefined].filter(
    (fact) => fact !== undefined,
  );
  return `[${[name, ...facts].join(": ")}${isMissing ? ", unavailable" : ""}]`;
}

/** Returns what the context of a run says about a file. */
export function namedMedia(media: InboundMedia, isUnavailable = false): Record<string, unknown> {
  const { kind, mimeType, fileName, bytes, isVoice, url, transcript, transcriptError } = media;
  return {
    kind,
    ...(isUnavailable && { unavailable: true }),
    ...(mimeType !== undefined && { mime_type: mimeType }),
    ...(fileName !== undefined && { file_name: fileName }),
    ...(bytes !== undefined && { bytes }),
    ...(isVoice === true && { voice: true }),
    ...(transcript !== undefined && { transcript }),
    ...(transcriptError !== undefined && { transcript_error: transcriptError }),
    // A shared link has no file.
    ...(kind === "link" && url !== undefined && { url }),
  };
}
