import { Type } from "@sinclair/typebox";
import type { ChannelName } from "../contracts/gateway/channels.ts";
import { readEchoDelivery } from "./builtin/read-echo.ts";
import type { Channel, ChannelWebhook, RawDelivery } from "./channel.ts";
import { createInstagramSender, instagramLimits } from "./instagram/instagram-sender.ts";
import { readInstagramDelivery } from "./instagram/read-events.ts";
import type { OutgoingLimits } from "./sending/outgoing-message.ts";
import { readTelegramDelivery } from "./telegram/read-update.ts";
import { createTelegramSender, telegramLimits } from "./telegram/telegram-sender.ts";
import { isFromTelegram } from "./telegram/verify-secret.ts";
import { readWhatsAppDelivery } from "./whatsapp/read-events.ts";
import { answerHandshake, answerOpenHandshake, isSigned } from "./whatsapp/verify-webhook.ts";
import { createWhatsAppSender, whatsAppLimits } from "./whatsapp/whatsapp-sender.ts";

/** Secret of a provider: printable ASCII without spaces, as HTTP headers and addresses need it. */
const secretText = (description: string) =>
  Type.String({ minLength: 1, maxLength: 4096, pattern: "^[!-~]+$", description });
const closed = { additionalProperties: false };

/** Meta signs each delivery with the app's secret. */
const signedByMeta = ({ headers, body }: RawDelivery, secret: string | undefined) =>
  Boolean(secret) && isSigned(headers.get("x-hub-signature-256"), body, secret ?? "");

const metaWebhook = (read: ChannelWebhook["read"]): ChannelWebhook => ({
  namesAccount: true,
  handshake: answerHandshake,
  proof: "hmac-sha256",
  isGenuine: signedByMeta,
  read,
});

/** Built-in channels have no provider that limits them. */
const builtInLimits: OutgoingLimits = {
  text: { max: 65_536, unit: "characters" },
  captionMax: 4096,
  captionKinds: ["image", "audio", "video", "document"],
  mediaBytesMax: { image: 1e8, audio: 1e8, video: 1e8, document: 1e8 },
  hasTemplates: false,
  hasContactButton: false,
  windowMs: undefined,
  ratesOf: () => ({}),
};

const phoneMessenger: Channel = {
  name: "phone_messenger",
  credentials: Type.Object({ access_token: secretText("Access token of WhatsApp's Cloud API.") }, closed),
  webhook: metaWebhook((body) => readWhatsAppDelivery(body)),
  limits: whatsAppLimits,
  createSender: ({ externalId, credentials }, { baseUrls, call, log }) =>
    createWhatsAppSender(
      {
        apiBaseUrl: baseUrls.graph,
        phoneNumberId: externalId,
        accessToken: credentials.access_token ?? "",
      },
      call,
      log,
    ),
};

const botMessenger: Channel = {
  name: "bot_messenger",
  credentials: Type.Object({ bot_token: secretText("Token of the Telegram bot.") }, closed),
  webhook: {
    namesAccount: false,
    handshake: answerOpenHandshake,
    proof: "secret-token",
    isGenuine: ({ headers, account }, secret) =>
      Boolean(secret) && isFromTelegram(headers, account, secret ?? ""),
    read: readTelegramDelivery,
  },
  limits: telegramLimits,
  createSender: ({ credentials }, { baseUrls, call, log }) =>
    createTelegramSender({ apiBaseUrl: baseUrls.bot, botToken: credentials.bot_token ?? "" }, call, log),
};

const photoSocial: Channel = {
  name: "photo_social",
  credentials: Type.Object(
    { access_token: secretText("Access token of the Instagram account or its page.") },
    closed,
  ),
  webhook: metaWebhook(readInstagramDelivery),
  limits: instagramLimits,
  createSender: ({ credentials }, { baseUrls, call, log }) => {
    const accessToken = credentials.access_token ?? "";
    // Tokens of the login by Instagram are valid at its own host only.
    const apiBaseUrl = accessToken.startsWith("IG") ? baseUrls.instagram : baseUrls.graph;
    return createInstagramSender({ apiBaseUrl, accessToken }, call, log);
  },
};

const webchat: Channel = {
  name: "webchat",
  credentials: Type.Object({}, closed),
  webhook: {
    namesAccount: false,
    handshake: answerOpenHandshake,
    proof: "none",
    // Visitors write through the web chat's own routes.
    isGenuine: () => false,
    read: readEchoDelivery,
  },
  limits: builtInLimits,
  createSender: undefined,
};

const echo: Channel = {
  name: "echo",
  credentials: Type.Object({}, closed),
  webhook: {
    namesAccount: false,
    handshake: answerOpenHandshake,
    proof: "none",
    isGenuine: () => true,
    read: readEchoDelivery,
  },
  limits: builtInLimits,
  createSender: undefined,
};

/** Every channel, by name. */
export const channels: ReadonlyMap<string, Channel> = new Map<ChannelName, Channel>(
  [phoneMessenger, botMessenger, photoSocial, webchat, echo].map((channel) => [channel.name, channel]),
);
