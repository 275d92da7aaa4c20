import { bearer, type ParsedAddress, parseAddress } from "../wire/address.ts";

export const chatRoute = "/chat/completions";

/**
 * Parses an operator's endpoint to the API's base address. Accepts it with or without `/v1` or a trailing slash. The full address of the
 * chat route is used unchanged.
 */
export function parseEndpoint(endpoint: string): ParsedAddress {
  const parsed = parseAddress(endpoint, (path) => {
    if (path.endsWith(chatRoute)) return path.slice(0, -chatRoute.length);
    if (azureDeployment.test(path)) return path;
    return /\/v[0-9]/.test(path) ? path : `${path}/v1`;
  });
  const { base } = parsed;
  if (base && azureDeployment.test(base.pathname) && !base.searchParams.has("api-version")) {
    base.searchParams.set("api-version", azureVersion);
  }
  return parsed;
}

/** A path of Azure's older API, which names the deployment instead of the model. */
const azureDeployment = /\/openai\/deployments\/[^/]+$/;
/** The last version of that API (learn.microsoft.com, "Azure OpenAI API version lifecycle"). */
const azureVersion = "2024-10-21";
const azureHost =
  /\.(?:openai\.azure|services\.ai\.azure|cognitiveservices\.azure|azure-api)\.(?:com|us|cn|net)$/;

const isAzure = ({ hostname, pathname }: URL) => azureHost.test(hostname) || azureDeployment.test(pathname);

/** True for the services that run OpenAI's models themselves. */
export function isOpenAiService(base: URL): boolean {
  return base.hostname === "api.openai.com" || isAzure(base);
}

/** LM Studio, by its default port: it runs llama.cpp. */
export const isLmStudio = ({ port }: URL): boolean => port === "1234";

/** The key as the service expects it: Azure takes keys by a header of its own, and tokens of Entra ID (JWT) as a bearer. */
export function keyHeaders(apiKey: string | undefined, base: URL): Record<string, string> {
  return apiKey !== undefined && isAzure(base) && !apiKey.startsWith("eyJ")
    ? { "api-key": apiKey }
    : bearer(apiKey);
}
