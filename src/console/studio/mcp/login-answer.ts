/** What a server's sign-in page sends the browser back with. */
export type LoginAnswer = { state: string; code: string; iss?: string } | { state: string; refusal: string };

/** Reads the query that a sign-in came back with; undefined: this is no such address. */
export function readLoginAnswer(query: URLSearchParams): LoginAnswer | undefined {
  const state = query.get("state");
  if (state === null) return undefined;
  const code = query.get("code");
  const iss = query.get("iss");
  if (code !== null) return { state, code, ...(iss === null ? {} : { iss }) };
  const error = query.get("error");
  return error === null ? undefined : { state, refusal: query.get("error_description") ?? error };
}
