/** The parameters with which a server's sign-in page redirects the browser back. */
export type LoginAnswer = { state: string; code: string; iss?: string } | { state: string; refusal: string };

/** Parses the query of a sign-in redirect; returns undefined for any other address. */
export function readLoginAnswer(query: URLSearchParams): LoginAnswer | undefined {
  const state = query.get("state");
  if (state === null) return undefined;
  const code = query.get("code");
  const iss = query.get("iss");
  if (code !== null) return { state, code, ...(iss === null ? {} : { iss }) };
  const error = query.get("error");
  return error === null ? undefined : { state, refusal: query.get("error_description") ?? error };
}
