/**
 * Meaning of a provider's error, the same for all providers:
 * - `soon`: try again with the usual delays; `thrice`, `twice` and `once`: at most so many times;
 * - `seconds` and `minutes`: the account sends too fast; `pair`: too fast for this recipient;
 * - `hours`: wait an hour; `hours_alert`: the whole account waits, and its operator must know;
 * - `final`: the provider will never accept this message; `window`: the user wrote too long ago for free text;
 * - `account`: the provider accepts nothing from this account until its operator fixes the cause.
 */
export type ErrorClass =
  | "soon"
  | "thrice"
  | "twice"
  | "once"
  | "seconds"
  | "minutes"
  | "pair"
  | "hours"
  | "hours_alert"
  | "final"
  | "window"
  | "account";

/** Class of an answer whose error code is missing or unknown; `unknown`: the provider may have accepted the message. */
export type StatusClass = ErrorClass | "unknown" | "throttled";

/** Decides by the HTTP status alone. */
export function classOfStatus(status: number): StatusClass {
  // A proxy timed out, and the server behind it may have accepted the message.
  if (status === 408 || status === 504) return "unknown";
  if (status === 429) return "throttled";
  if (status >= 500) return "soon";
  if (status === 401 || status === 403 || status === 404) return "account";
  return "final";
}
