import { createHmac } from "node:crypto";
import { AppError } from "../../kit/app-error.ts";
import type { SendResult } from "../outbox/message-sender.ts";

/** Posts to a callback's address. Rejects with the network's AppError. */
export type PostCallback = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
) => Promise<{ status: number; retryAfterMs: number | undefined }>;

/** A JSON text for a callback. */
export interface CallbackRequest {
  url: string;
  /** Key of the signature; undefined for none. */
  secret: string | undefined;
  traceparent: string;
  body: string;
}

/**
 * Posts a signed text. Any 2xx is success, 410 is final, and every other answer is tried again. `failed` is told of faults that are not the
 * network's.
 */
export async function postCallback(
  post: PostCallback,
  { url, secret, traceparent, body }: CallbackRequest,
  failed: (thrown: unknown) => void,
): Promise<SendResult> {
  const headers = {
    "content-type": "application/json",
    traceparent,
    ...(secret !== undefined && { "x-gateway-signature-256": signatureOf(body, secret) }),
  };
  try {
    const { status, retryAfterMs } = await post(url, headers, body);
    if (status >= 200 && status < 300) return { action: "sent" };
    if (status === 410) return { action: "final", code: "callback_410" };
    return { ...again(`callback_${status}`), waitMs: retryAfterMs };
  } catch (thrown) {
    const code = thrown instanceof AppError ? thrown.code : "internal";
    if (code === "internal") failed(thrown);
    return again(code);
  }
}

/** `sha256=` and the HMAC of the body in hex. */
export const signatureOf = (body: string, secret: string): string =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

const again = (code: string): Extract<SendResult, { action: "retry" }> => ({
  action: "retry",
  code,
  isAccountWide: false,
});
