/**
 * The source of a manifest. `file`: a file of the operator. `owner`: sent by the machine's owner. `stranger`: sent by any other client of
 * the API. `tenant`: from a tenant of a control plane.
 */
export type Sender = "file" | "owner" | "stranger" | "tenant";

/** Returns true if a manifest from this sender may name this machine's files, programs, keys and private networks. */
export const isTrusted = (sender: Sender): boolean => sender === "file" || sender === "owner";

const prefixes = ["PLATFORM_", "ARGOSY_", "GATEWAY_", "CLOUD_", "TRANSLATOR_", "OTEL_"];

/** Settings of Argosy without such a prefix. A model's own key (`HOSTED_LLM_API_KEY`) is not one: it belongs to a provider. */
const names: ReadonlySet<string> = new Set([
  "DATABASE_URL",
  "REDIS_URL",
  "SEARCH_API_KEY",
  "CHAT_WEBHOOK_URL",
  "HOSTED_LLM_ENDPOINT",
  "LOCAL_MODEL_HOST",
]);

/** Returns true for a variable that configures Argosy itself. A manifest from a client may never have it sent anywhere as a key. */
export function isOwnSetting(variable: string): boolean {
  const name = variable.toUpperCase();
  return names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}
