import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { MessageContent, SendInput, Template } from "../../../contracts/gateway/messages.ts";
import { readAddress } from "../../../engine/tools/network/address/address-kind.ts";
import { isLocalName } from "../../../engine/tools/network/address/host-name.ts";
import { AppError } from "../../../kit/app-error.ts";

type Content = Pick<SendInput, "text" | "media" | "template">;

/** Returns what is sent of a message's content: text, the first media item, and the template. Throws 400 for content that no channel takes. */
export function readContent({ text, media, template }: Content): MessageContent {
  const [first] = media ?? [];
  const hasText = text !== undefined && text.trim() !== "";
  if (!hasText && first === undefined && template === undefined) {
    throw invalid("The message is empty: send text, media or template.");
  }
  if (first !== undefined) requirePublicUrl(first.url);
  if (template !== undefined) requireTemplate(template);
  return {
    ...(hasText && { text }),
    ...(first !== undefined && { media: first }),
    ...(template !== undefined && { template }),
  };
}

/** Checks content against what a channel can send. Throws 400. */
export function requireSendable(channel: ChannelName, { text = "", media, template }: MessageContent): void {
  if (template !== undefined && channel !== "phone_messenger") {
    throw invalid(`A template can be sent on phone_messenger only, not on ${channel}.`);
  }
  requireLength(channel, "text", text);
  // A caption that the channel can't show is sent as a text.
  requireLength(channel, "media[0].caption", media?.caption ?? "");
}

function requireLength(channel: ChannelName, name: string, text: string): void {
  if (channel === "photo_social") {
    const bytes = Buffer.byteLength(text);
    if (bytes > 1000) throw invalid(`${name} must be at most 1000 bytes on photo_social, got ${bytes}.`);
  } else if (channel !== "echo" && [...text].length > 4096) {
    throw invalid(`${name} must be at most 4096 characters on ${channel}, got ${[...text].length}.`);
  }
}

function requireTemplate({ name, language }: Template): void {
  for (const [key, value] of Object.entries({ name, language }))
    if (value.trim() === "") throw invalid(`template.${key} is required and must not be blank.`);
}

function requirePublicUrl(text: string): void {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw invalid("media[0].url must be a public http or https address.");
  }
  if (url.username !== "" || url.password !== "") throw invalid("media[0].url must not contain credentials.");
  const host = url.hostname.replace(/^\[|\]$|\.$/g, "");
  const address = readAddress(host);
  const isPublic = address === undefined ? !isLocalName(host) : address.kind === "public";
  if (!isPublic)
    throw invalid(`media[0].url must be public, because the provider downloads it; got the host ${host}.`);
}

const invalid = (message: string) => new AppError("invalid", "invalid_request", message);
