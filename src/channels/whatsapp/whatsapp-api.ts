import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { startDeadline } from "../../kit/deadline.ts";
import { readBounded } from "../../kit/fetch/bounded-body.ts";
import type { MessageApi } from "../sending/message-api.ts";
import { outcomeOf, outcomeOfCode, type SendAnswer } from "./send-outcome.ts";

/** Account of WhatsApp's Cloud API that messages are sent from. */
export interface WhatsAppAccount {
  /** Includes the API version; has no slash at the end. */
  apiBaseUrl: string;
  phoneNumberId: string;
  accessToken: string;
}

/** `fetch` limited to addresses that the operator's own files name. */
export type ApiFetch = (url: string, init: RequestInit) => Promise<Response>;

const timeoutMs = 15_000;
const answerBytesMax = 256 * 1024;

/** Creates an API that sends by `POST {api_base_url}/{phone_number_id}/messages`. */
export function createWhatsAppApi(
  { apiBaseUrl, phoneNumberId, accessToken }: WhatsAppAccount,
  fetch: ApiFetch,
  clock: Clock,
): MessageApi {
  const url = `${apiBaseUrl}/${encodeURIComponent(phoneNumberId)}/messages`;
  const headers = { authorization: `Bearer ${accessToken}`, "content-type": "application/json" };

  const call = async (body: string): Promise<SendAnswer> => {
    const deadline = startDeadline(clock, timeoutMs, timedOut);
    try {
      const response = await fetch(url, {
        method: "POST",
        headers,
        body,
        // A redirect would pass the token on.
        redirect: "manual",
        // On a reused connection, the runtime may repeat the request when the connection breaks.
        keepalive: false,
        signal: deadline.signal,
      });
      return {
        status: response.status,
        retryAfterMs: retryAfterOf(response.headers),
        body: await bodyOf(response, deadline.signal),
      };
    } catch (fault) {
      return { fault: deadline.expired ? deadline.signal.reason : fault };
    } finally {
      deadline.dispose();
    }
  };
  return {
    textCharsMax: 4096,
    async sendText({ recipient: { kind, address }, text, token }) {
      const body = {
        messaging_product: "whatsapp",
        recipient_type: "individual",
        ...(kind === "phone" ? { to: address } : { recipient: address }),
        type: "text",
        text: { body: text, preview_url: false },
        biz_opaque_callback_data: token,
      };
      return outcomeOf(await call(JSON.stringify(body)));
    },
    outcomeOfCode,
  };
}

/** Returns undefined if the body was cut off or is too long; the status is known in any case. */
async function bodyOf(response: Response, signal: AbortSignal): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await readBounded(response, answerBytesMax, signal));
  } catch {
    return undefined;
  }
}

/** Whole seconds, as this API writes it. */
function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get("retry-after");
  return value !== null && /^\d{1,6}$/.test(value) ? Number(value) * 1000 : undefined;
}

/** Has its code in the field where system errors have theirs, so `send-outcome` finds it. */
function timedOut(): AppError {
  return new AppError("upstream_timed_out", "send_timed_out", "The provider did not answer in time.");
}
