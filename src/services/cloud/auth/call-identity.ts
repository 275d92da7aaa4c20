import { AppError } from "../../../kit/app-error.ts";
import { fieldsOf } from "../../../kit/json/is-record.ts";
import type { CloudAuthDeps } from "./deps.ts";

const bytesMax = 256 * 1024;
const timeoutMs = 10_000;

/** The network of identity providers. */
export type IdentityPorts = Pick<CloudAuthDeps, "identityFetch" | "clock">;

/** Calls an identity provider and returns its JSON object. Throws 502 `provider_failed` if there is no such answer. */
export async function callIdentity(
  { identityFetch: fetch, clock }: IdentityPorts,
  url: string,
  init: RequestInit = {},
): Promise<{ status: number; body: unknown }> {
  const headers = { accept: "application/json", "user-agent": "argosy", ...(init.headers as object) };
  const late = new AbortController();
  const stop = clock.timer(timeoutMs, () => late.abort());
  try {
    const { signal } = late;
    const response = await fetch(new Request(url, { ...init, headers, redirect: "error", signal }));
    const text = await response.text();
    if (text.length > bytesMax) throw new Error("The answer is too long.");
    if (response.status >= 500) throw new Error(`The provider answered ${response.status}.`);
    return { status: response.status, body: JSON.parse(text) };
  } catch (thrown) {
    throw new AppError("upstream_failed", "provider_failed", "The identity provider could not be reached.", {
      cause: thrown,
    });
  } finally {
    stop();
  }
}

/** The same answer to every sign-in that an identity provider doesn't vouch for. */
export const notSignedIn = () =>
  new AppError(
    "unauthorized",
    "unauthorized",
    "The identity provider does not confirm this sign-in. Sign in again.",
  );

/** Exchanges an authorization code for the provider's tokens. Throws 401 if the provider refuses it. */
export async function exchangeCode(
  ports: IdentityPorts,
  tokenUrl: string,
  fields: Record<string, string>,
): Promise<Record<string, unknown>> {
  const { status, body } = await callIdentity(ports, tokenUrl, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString(),
  });
  const tokens = fieldsOf(body);
  // GitHub answers 200 with an `error`.
  if (status !== 200 || tokens.error !== undefined) throw notSignedIn();
  return tokens;
}
