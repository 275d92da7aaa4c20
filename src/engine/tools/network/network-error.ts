import { AppError } from "../../../kit/app-error.ts";
import { descriptorShortage } from "../../../kit/process/descriptor-shortage.ts";

/** Error for a target that is not allowed. The message is for models: it says what to do and never names an address. */
export function refused(message: string): AppError {
  return new AppError("forbidden", "network_refused", message);
}

/** Error for a failed request; the message describes only the kind of failure. */
export function failed(message: string): AppError {
  return new AppError("upstream_failed", "network_failed", message);
}

export function timedOut(timeoutMs: number): AppError {
  const message = `The request took longer than ${timeoutMs / 1000} seconds and was stopped.`;
  return new AppError("upstream_timed_out", "network_timed_out", message);
}

export function bodyTooLarge(bytesMax: number): AppError {
  const message = `The answer has more than ${bytesMax} bytes; ask for a smaller part of it.`;
  return new AppError("too_large", "network_body_too_large", message);
}

/** Messages for errors of Bun's fetch by their code. Its own messages contain the address and are not used. */
const classes: readonly [RegExp, string][] = [
  [/ALTNAME|CERT|VERIFY|SELF_SIGNED|ISSUER/i, "The server has no valid certificate for this host."],
  [/TLS|SSL|EPROTO|HANDSHAKE/i, "No secure connection to the server could be made."],
  [
    /REFUSED|FailedToOpenSocket|UNREACH|ENETDOWN|EADDRNOTAVAIL|ETIMEDOUT/i,
    "The server could not be reached.",
  ],
  [/RESET|ABORTED|EPIPE|CLOSED/i, "The server closed the connection before its answer was complete."],
  [/HTTP|Header|Length|Upgrade|Chunk|Encoding|Status/i, "The server's answer is not readable HTTP."],
];

/** The error for a failed request: the signal's reason if it has aborted, otherwise an AppError that describes the kind of failure. */
export function asNetworkError(thrown: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (thrown instanceof AppError) return thrown;
  const shortage = descriptorShortage(thrown);
  if (shortage !== undefined) return shortage;
  const code = codeOf(thrown);
  const known = classes.find(([pattern]) => pattern.test(code));
  return failed(known?.[1] ?? "The request failed on its way.");
}

/** Returns true if no connection was made, so that nothing was sent and another address may be tried. */
export function wasUnreachable(thrown: unknown): boolean {
  return /REFUSED|FailedToOpenSocket|UNREACH|EADDRNOTAVAIL/i.test(codeOf(thrown));
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error ? String(Reflect.get(thrown, "code") ?? "") : "";
}
