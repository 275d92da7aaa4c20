import type { ErrorClass, StatusClass } from "../sending/error-class.ts";

/**
 * Class of an error of the Bot API. `plain`: try once more without markup; `ignored`: a late answer to a button, which changes nothing.
 */
export type TelegramErrorClass = ErrorClass | StatusClass | "plain" | "ignored";

/** Errors with code 400, by a part of their description. */
const badRequests: readonly (readonly [part: string, errorClass: TelegramErrorClass])[] = [
  ["can't parse entities", "plain"],
  ["query is too old", "ignored"],
  ["query id is invalid", "ignored"],
  ["failed to get http url content", "twice"],
  ["chat not found", "final"],
  ["user not found", "final"],
  ["peer_id_invalid", "final"],
  ["text is empty", "final"],
  ["text must be non-empty", "final"],
  ["too long", "final"],
  ["wrong file identifier", "final"],
  ["wrong type of the web page content", "final"],
  ["group chat was upgraded", "final"],
];

/** Returns the class of an error; undefined for a bad request of an unknown kind. */
export function telegramErrorClass(code: number, description: string): TelegramErrorClass | undefined {
  if (code === 429) return "throttled";
  if (code === 401 || code === 404 || code === 409) return "account";
  if (code === 403) return "final";
  if (code === 408 || code === 504) return "unknown";
  if (code >= 500) return "soon";
  if (code === 413) return "final";
  const text = description.toLowerCase();
  return badRequests.find(([part]) => text.includes(part))?.[1];
}
