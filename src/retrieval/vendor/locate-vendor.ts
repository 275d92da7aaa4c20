import type { Problem } from "../../kit/app-error.ts";
import { redactText } from "../../kit/secrets/redact-text.ts";
import type { RetrievalPorts } from "../retrieval-ports.ts";

/** Address facts of a vendor in the registry. */
export interface VendorKind {
  /** Its name for `serverOf`. */
  provider: string;
  defaultEndpoint: string;
  /** True if the vendor's own address requires a key. */
  needsKey: boolean;
  /** Converts the path of a configured address, which has no trailing slashes, to the API's base path. */
  basePath: (path: string) => string;
}

/** Address of a vendor and headers of every request. */
export interface VendorAddress {
  base: URL;
  headers: Readonly<Record<string, string>>;
  apiKey: string | undefined;
}

interface AddressSettings {
  endpoint?: string | undefined;
  api_key_env?: string | undefined;
}

type Located = { address: VendorAddress } | { problems: Problem[] };

/**
 * The address from the settings, the configuration and the vendor's default, or the problems with it. A key is only sent to the endpoint it
 * was configured with: if the settings have their own endpoint, it uses their own key or none.
 */
export function locateVendor(
  kind: VendorKind,
  settings: AddressSettings,
  ports: Pick<RetrievalPorts, "variable" | "serverOf" | "refusal">,
): Located {
  const problems: Problem[] = [];
  const known = ports.serverOf(kind.provider);
  const configured = known?.endpoint ?? kind.defaultEndpoint;
  const endpoint = settings.endpoint ?? configured;
  const isConfigured = isSameAddress(endpoint, configured);
  const apiKey = keyOf(settings.api_key_env, isConfigured ? known?.apiKey : undefined, ports);
  const isNamed = settings.api_key_env !== undefined && !isSameAddress(endpoint, kind.defaultEndpoint);
  const refusal = isNamed ? ports.refusal?.() : undefined;
  if (refusal !== undefined) {
    const message = `names the variable ${settings.api_key_env}, which is not sent to ${redactText(endpoint)}: ${refusal}`;
    problems.push({ path: "api_key_env", message });
  } else if (settings.api_key_env !== undefined && apiKey === undefined) {
    const message = `names the variable ${settings.api_key_env}, which is not set; set it to the key`;
    problems.push({ path: "api_key_env", message });
  } else if (apiKey === undefined && kind.needsKey && isSameAddress(endpoint, kind.defaultEndpoint)) {
    const message = `is missing: ${kind.provider} takes no call without a key; give the name of the variable that holds it`;
    problems.push({ path: "api_key_env", message });
  } else if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    const message =
      "leads to a key with characters that no HTTP header can carry; check the variable's value";
    problems.push({ path: "api_key_env", message });
  }
  const base = baseOf(endpoint, kind);
  if (typeof base === "string") problems.push({ path: "endpoint", message: base });
  if (problems.length > 0 || typeof base === "string") return { problems };
  const headers: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  return { address: { base, headers, apiKey } };
}

function keyOf(
  variable: string | undefined,
  configured: string | undefined,
  ports: Pick<RetrievalPorts, "variable">,
): string | undefined {
  const key = variable === undefined ? configured : ports.variable(variable);
  return key?.trim() || undefined;
}

/** The base address, or the problem with the configured text. */
function baseOf(endpoint: string, { basePath }: VendorKind): URL | string {
  const base = URL.parse(withScheme(endpoint.trim()));
  if (!base || (base.protocol !== "http:" && base.protocol !== "https:"))
    return "is not an http or https address";
  if (base.username !== "" || base.password !== "") {
    return "holds a user name or password; give the key by api_key_env";
  }
  base.hash = "";
  base.pathname = basePath(base.pathname.replace(/\/+$/, ""));
  return base;
}

/** Hosts of local servers are often given as `host:port`. */
const withScheme = (endpoint: string) => (/^[a-z]+:\/\//i.test(endpoint) ? endpoint : `http://${endpoint}`);

function isSameAddress(one: string, other: string): boolean {
  return withScheme(one).replace(/\/+$/, "") === withScheme(other).replace(/\/+$/, "");
}

/** The address of an API route; the query of the base (`?api-version=`) is kept. */
export function routeAt(base: URL, route: string): string {
  const url = new URL(base);
  url.pathname = `${base.pathname.replace(/\/$/, "")}${route}`;
  return url.href;
}
