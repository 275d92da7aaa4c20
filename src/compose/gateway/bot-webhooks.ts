import { createHmac } from "node:crypto";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { startDeadline } from "../../kit/deadline.ts";
import { readBounded } from "../../kit/fetch/bounded-body.ts";
import type { WebhookRegistrar } from "../../services/gateway/accounts/save-account.ts";
import { providerFetch } from "../provider-fetch.ts";
import type { GatewayConfig } from "../settings/gateway-settings.ts";

const answerMs = 15_000;
const answerBytesMax = 64 * 1024;
/** Kinds of updates that the gateway reads. */
const allowedUpdates = ["message", "edited_message", "callback_query", "my_chat_member"];

/** Registers bots' webhooks by Telegram's `setWebhook`, at an address and with a secret of each account's own. */
export function createBotWebhooks(
  { publicBaseUrl, botWebhookSecret, botBaseUrl }: GatewayConfig,
  clock: Clock,
): WebhookRegistrar {
  return {
    async register({ externalId, botToken }, signal) {
      if (publicBaseUrl === undefined) throw refused("GATEWAY_PUBLIC_BASE_URL is not set.");
      if (botWebhookSecret === undefined) throw refused("GATEWAY_BOT_WEBHOOK_SECRET is not set.");
      const patience = startDeadline(clock, answerMs, () => refused("the provider did not answer in time."), [
        signal,
      ]);
      try {
        const response = await providerFetch(`${botBaseUrl}/bot${botToken}/setWebhook`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({
            url: `${publicBaseUrl}/webhooks/bot_messenger/${encodeURIComponent(externalId)}`,
            secret_token: webhookSecretOf(botWebhookSecret, externalId),
            allowed_updates: allowedUpdates,
          }),
          signal: patience.signal,
        });
        const answer = new TextDecoder().decode(await readBounded(response, answerBytesMax, patience.signal));
        if (!isAccepted(answer)) throw refused(`the provider answered ${response.status}.`);
      } finally {
        patience.dispose();
      }
    },
  };
}

/** The secret that the provider sends with deliveries for one account. */
export const webhookSecretOf = (secret: string, account: string): string =>
  createHmac("sha256", secret).update(`bot_messenger:${account}`).digest("hex");

function isAccepted(text: string): boolean {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === "object" && answer !== null && Reflect.get(answer, "ok") === true;
  } catch {
    return false;
  }
}

const refused = (message: string) => new AppError("upstream_failed", "webhook_refused", message);
