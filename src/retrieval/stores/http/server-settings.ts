import { createHash } from "node:crypto";
import type { Problem } from "../../../kit/app-error.ts";
import type { ResolvedSettings, VectorStorePorts } from "../store-kind.ts";
import type { CollectionKey } from "../vector-store.ts";

/** Problems of `url` and `api_key_env` for an HTTP server. */
export function serverProblems(
  settings: ResolvedSettings,
  { variable, refusal }: VectorStorePorts,
): Problem[] {
  const { backend, url, api_key_env: name } = settings;
  const problems: Problem[] = [];
  const fault = urlFault(url, backend);
  if (fault) problems.push({ path: "url", message: fault });
  const reason = name === undefined ? undefined : refusal?.();
  if (reason !== undefined)
    problems.push({
      path: "api_key_env",
      message: `names the variable ${name}, which is not sent: ${reason}`,
    });
  else if (name !== undefined && !variable(name))
    problems.push({ path: "api_key_env", message: `names the variable ${name}, which is not set` });
  return problems;
}

function urlFault(url: string | undefined, backend: string): string | undefined {
  if (url === undefined) return `is missing: ${backend} needs the address of its server`;
  const parsed = URL.parse(url);
  if (parsed?.protocol !== "http:" && parsed?.protocol !== "https:")
    return "must be an http:// or https:// address";
  if (parsed.username || parsed.password)
    return "must not hold a user or password; put the key into a variable and name that in api_key_env";
  return parsed.search || parsed.hash ? "must not hold a query or fragment" : undefined;
}

/** The address without trailing slashes. */
export const baseUrl = (url: string): string => url.replace(/\/+$/, "");

/**
 * A name for the collection that every server accepts (letters, digits, `_` and `-`, at most 80) and that is unique per key: part of its
 * name for readability, and a hash of the whole key.
 */
export function physicalName({ tenant, kind, name }: CollectionKey): string {
  const readable = name.replace(/[^A-Za-z0-9]+/g, "-").slice(0, 24);
  const hash = createHash("sha256")
    .update(JSON.stringify([tenant, kind, name]))
    .digest("hex")
    .slice(0, 40);
  return `argosy_${kind}_${readable}_${hash}`;
}
