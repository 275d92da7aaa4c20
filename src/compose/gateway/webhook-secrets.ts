import type { ChannelName } from "../../contracts/gateway/channels.ts";
import type { WebhookSecret, WebhookSecrets } from "../../services/gateway/inbound/webhook-secrets.ts";
import type { GatewayConfig } from "../settings/gateway-settings.ts";

/** The registered channels: those whose secret is set, those that are switched on, and with the emulator all that providers transport. */
export function webhookSecretsOf(config: GatewayConfig): WebhookSecrets {
  const { emulator, phoneAppSecret, phoneVerifyToken, photoAppSecret, photoVerifyToken, botWebhookSecret } =
    config;
  const found: [ChannelName, boolean, WebhookSecret][] = [
    [
      "phone_messenger",
      phoneAppSecret !== undefined,
      { secret: phoneAppSecret, verifyToken: phoneVerifyToken },
    ],
    ["photo_social", photoAppSecret !== undefined, { secret: photoAppSecret, verifyToken: photoVerifyToken }],
    ["bot_messenger", botWebhookSecret !== undefined, { secret: botWebhookSecret }],
  ];
  return new Map<ChannelName, WebhookSecret>([
    ...found.flatMap(([name, isSet, secret]) => (isSet || emulator ? [[name, secret] as const] : [])),
    ...(config.webchat ? [["webchat", {}] as const] : []),
    ...(config.echo ? [["echo", {}] as const] : []),
  ]);
}
