import type { NewId } from "../kit/id.ts";

/** Characters that mean nothing to a log reader, a shell or a header. */
const wellFormed = /^[\w.:-]{1,128}$/;

/** The caller's `X-Request-Id` when it is safe to repeat (letters, digits, `._:-`, at most 128), else a new id. */
export function requestIdOf(headers: Headers, newId: NewId): string {
  const sent = headers.get("x-request-id");
  return sent !== null && wellFormed.test(sent) ? sent : newId();
}
