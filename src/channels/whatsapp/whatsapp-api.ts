import type { Clock } from "../../kit/clock.ts";
import type { MessageApi } from "../sending/message-api.ts";
import { type ApiFetch, createProviderCall } from "../sending/provider-call.ts";
import { outcomeOf, outcomeOfCode } from "./send-outcome.ts";
import { messageBody, type WhatsAppAccount, whatsAppLimits, whatsAppTarget } from "./whatsapp-sender.ts";

/** Creates an API that sends texts by `POST {api_base_url}/{phone_number_id}/messages`, for a service without a durable outbox. */
export function createWhatsAppApi(account: WhatsAppAccount, fetch: ApiFetch, clock: Clock): MessageApi {
  const { url, headers } = whatsAppTarget(account);
  const call = createProviderCall(fetch, clock);
  return {
    textCharsMax: whatsAppLimits.text.max,
    async sendText({ recipient, text, token }) {
      const body = messageBody({ to: recipient, token }, { index: 0, kind: "text", text });
      return outcomeOf(await call(url, headers, body));
    },
    outcomeOfCode,
  };
}
