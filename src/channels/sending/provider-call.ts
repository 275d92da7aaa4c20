import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { startDeadline } from "../../kit/deadline.ts";
import { readBounded } from "../../kit/fetch/bounded-body.ts";

/** `fetch` limited to addresses that the operator's own files name. */
export type ApiFetch = (url: string, init: RequestInit) => Promise<Response>;

/** The provider's answer, or the error that prevented one. `body` is undefined if it was cut off or too long. */
export type SendAnswer =
  | { status: number; retryAfterMs: number | undefined; body: string | undefined }
  | { fault: unknown };

/**
 * Posts JSON, or a form with a file, once. Only its own time limit ends the attempt early, because a sent message can't be recalled. With `mayRepeat`,
 * `ApiFetch` may post it again: a mark that is set twice is set.
 */
export type ProviderCall = (
  url: string,
  headers: Record<string, string>,
  body: object | FormData,
  options?: { mayRepeat?: boolean },
) => Promise<SendAnswer>;

const timeoutMs = 15_000;
const answerBytesMax = 256 * 1024;

export function createProviderCall(fetch: ApiFetch, clock: Clock): ProviderCall {
  return async (url, headers, body, { mayRepeat = false } = {}) => {
    const deadline = startDeadline(clock, timeoutMs, timedOut);
    try {
      const response = await fetch(url, {
        method: "POST",
        // The border of a form is in its content type, which is left to `fetch`.
        headers: body instanceof FormData ? headers : { ...headers, "content-type": "application/json" },
        body: body instanceof FormData ? body : JSON.stringify(body),
        // A redirect would pass the token on.
        redirect: "manual",
        // On a kept connection, the request may meet its end and be repeated.
        keepalive: mayRepeat,
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
}

/** The status is known in any case. */
async function bodyOf(response: Response, signal: AbortSignal): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await readBounded(response, answerBytesMax, signal));
  } catch {
    return undefined;
  }
}

/** Whole seconds, as these APIs write it. */
function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get("retry-after");
  return value !== null && /^\d{1,6}$/.test(value) ? Number(value) * 1000 : undefined;
}

/** Has its code in the field where system errors have theirs, so `faultOf` finds it. */
function timedOut(): AppError {
  return new AppError("upstream_timed_out", "send_timed_out", "The provider did not answer in time.");
}

/**
 * `no_connection` and `no_trusted_connection`: no byte of the request was sent. Otherwise the provider may have accepted it. The words
 * replace the error's own message, which may contain a URL with a token.
 */
export type SendFault = "no_connection" | "no_trusted_connection" | "send_timed_out" | "broken_off";

/** Errors that occur before any byte of the request is sent. */
const unconnected: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ConnectionRefused",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EAI_NODATA",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);
const untrusted = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|^EPROTO$/;

export function faultOf(fault: unknown): SendFault {
  const code = fault instanceof Error ? String(Reflect.get(fault, "code") ?? "") : "";
  if (unconnected.has(code)) return "no_connection";
  if (untrusted.test(code)) return "no_trusted_connection";
  return code === "send_timed_out" ? code : "broken_off";
}
