import type { ChannelName } from "../../contracts/gateway/channels.ts";
import type { WebhookSecret, WebhookSecrets } from "../../services/gateway/inbound/webhook-secrets.ts";
import type { GatewayConfig } from "../settings/gateway-settings.ts";

/** The registered channels: those whose secret is set, those that are switched on, and with the emulator all that providers transport. */
export function webhookSecretsOf(config: GatewayConfig): WebhookSecrets {
  const { emulator, phone, photo, botWebhookSecret } = config;
  const secrets: [ChannelName, WebhookSecret | undefined][] = [
    ["phone_messenger", phone && { secret: phone.appSecret, verifyToken: phone.verifyToken }],
    ["photo_social", photo && { secret: photo.appSecret, verifyToken: photo.verifyToken }],
    ["bot_messenger", botWebhookSecret === undefined ? undefined : { secret: botWebhookSecret }],
  ];
  return new Map<ChannelName, WebhookSecret>([
    ...secrets.flatMap(([name, secret]) =>
      secret !== undefined || emulator ? [[name, secret ?? {}] as const] : [],
    ),
    ...(config.webchat ? [["webchat", {}] as const] : []),
    ...(config.echo ? [["echo", {}] as const] : []),
  ]);
}
