import { createHmac } from "node:crypto";
import { equalSecrets } from "../../kit/secrets/equal-secrets.ts";

/** Returns the secret that the provider sends with deliveries for one account: 64 hex digits, derived from the service's secret. */
export function webhookSecretOf(secret: string, account: string): string {
  return createHmac("sha256", secret).update(`bot_messenger:${account}`).digest("hex");
}

/** Checks `X-Telegram-Bot-Api-Secret-Token`. It is the same for each delivery, so it proves the sender and not the body. */
export function isFromTelegram(headers: Headers, account: string | undefined, secret: string): boolean {
  if (account === undefined) return false;
  return equalSecrets(headers.get("x-telegram-bot-api-secret-token") ?? "", webhookSecretOf(secret, account));
}
