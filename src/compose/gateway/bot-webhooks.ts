import type { SenderOf } from "../../channels/outbox/channel-senders.ts";
import { webhookSecretOf } from "../../channels/telegram/verify-secret.ts";
import { AppError } from "../../kit/app-error.ts";
import type { WebhookRegistrar } from "../../services/gateway/accounts/save-account.ts";
import type { GatewayConfig } from "../settings/gateway-settings.ts";

/** Registers bots' webhooks at their provider, at an address and with a secret of each account's own. */
export function createBotWebhooks(
  { publicBaseUrl, botWebhookSecret }: Pick<GatewayConfig, "publicBaseUrl" | "botWebhookSecret">,
  senderOf: SenderOf,
): WebhookRegistrar {
  return {
    async register({ id, tenantId, externalId, botToken }) {
      const credentials = { bot_token: botToken };
      const channel = "bot_messenger";
      const sender = senderOf({ id, tenantId, channel, externalId, credentials, emulated: false });
      // It is emulated by a setting.
      if (sender === undefined) return;
      if (publicBaseUrl === undefined) throw refused("GATEWAY_PUBLIC_BASE_URL is not set.");
      if (botWebhookSecret === undefined) throw refused("GATEWAY_BOT_WEBHOOK_SECRET is not set.");
      const url = `${publicBaseUrl}/webhooks/bot_messenger/${encodeURIComponent(externalId)}`;
      const result = await sender.registerWebhook?.(url, webhookSecretOf(botWebhookSecret, externalId));
      if (result !== undefined && result.outcome !== "accepted") {
        throw refused(`the provider answered ${result.code}: ${result.message}`);
      }
    },
  };
}

const refused = (message: string) => new AppError("upstream_failed", "webhook_refused", message);
