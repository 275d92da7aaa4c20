import { channels } from "../../../channels/channel-registry.ts";
import { lengthIn } from "../../../channels/sending/text-length.ts";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import {
  type Media,
  type MediaInput,
  type MessageContent,
  mediaKinds,
  type SendInput,
  type Template,
} from "../../../contracts/gateway/messages.ts";
import { readAddress } from "../../../engine/tools/network/address/address-kind.ts";
import { isLocalName } from "../../../engine/tools/network/address/host-name.ts";
import { AppError } from "../../../kit/app-error.ts";

type Content = Pick<SendInput, "text" | "media" | "template">;

/** Content of a message before its uploaded file is looked up. */
export type GivenContent = Omit<MessageContent, "media"> & { media?: Media | FileInput };
/** A file that was uploaded. */
export type FileInput = Omit<MediaInput, "id" | "url"> & { id: string };

/** Returns what is sent of a message's content: text, the first media item, and the template. Throws 400 for content that no channel takes. */
export function readContent({ text, media, template }: Content): GivenContent {
  const [first] = media ?? [];
  const hasText = text !== undefined && text.trim() !== "";
  if (!hasText && first === undefined && template === undefined) {
    throw invalid("The message is empty: send text, media or template.");
  }
  const file = first === undefined ? undefined : readMedia(first);
  if (template !== undefined) requireTemplate(template);
  return {
    ...(hasText && { text }),
    ...(file !== undefined && { media: file }),
    ...(template !== undefined && { template }),
  };
}

function readMedia({ kind, id, url, ...more }: MediaInput): Media | FileInput {
  if ((id === undefined) === (url === undefined)) {
    throw invalid("media[0] needs url, or the id of an uploaded file, and not both.");
  }
  if (id !== undefined) return { id, ...(kind !== undefined && { kind }), ...more };
  if (kind === undefined) throw invalid(`media[0].kind must be one of ${mediaKinds.join(", ")}.`);
  requirePublicUrl(url ?? "");
  return { kind, ...(url !== undefined && { url }), ...more };
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

/** Web chat's own limit is that of its texts. */
const webchatLimit = { max: 4096, unit: "characters" } as const;
const unitNames = { units: "characters", characters: "characters", bytes: "bytes" } as const;

function requireLength(channel: ChannelName, name: string, text: string): void {
  if (channel === "echo") return;
  const { max, unit } =
    (channel === "webchat" ? undefined : channels.get(channel)?.limits.text) ?? webchatLimit;
  const length = lengthIn(unit, text);
  if (length > max)
    throw invalid(`${name} must be at most ${max} ${unitNames[unit]} on ${channel}, got ${length}.`);
}

/** Bytes of a template's components as JSON. */
const componentsMax = 32 * 1024;

function requireTemplate({ name, language, params, components }: Template): void {
  if (components !== undefined && params !== undefined) {
    throw invalid("template takes params or components, not both.");
  }
  if (components !== undefined && JSON.stringify(components).length > componentsMax) {
    throw invalid(`template.components must be at most ${componentsMax} characters of JSON.`);
  }
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
