import type { NewId } from "../kit/id.ts";

/** Characters that are safe in logs, shells and headers. */
const wellFormed = /^[\w.:-]{1,128}$/;

/** Returns the caller's `X-Request-Id` if it is safe to repeat (letters, digits, `._:-`, at most 128), otherwise a new id. */
export function requestIdOf(headers: Headers, newId: NewId): string {
  const sent = headers.get("x-request-id");
  return sent !== null && wellFormed.test(sent) ? sent : newId();
}
