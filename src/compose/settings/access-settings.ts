import { isIPv6 } from "node:net";
import { urlHost } from "../../http/front-door/host-rule.ts";
import { readTrustedProxies, type TrustedProxies } from "../../http/front-door/trusted-proxies.ts";
import { redactText } from "../../kit/secrets/redact-text.ts";
import { secretReading } from "./secrets/secret-setting.ts";
import { asFlag, asList, asPort, type SettingReader } from "./setting.ts";

/** Callers that may use the services, and proxies whose headers are trusted. */
export interface AccessConfig {
  allowedHosts: string[];
  apiToken?: string;
  insecureOpen: boolean;
  /** True if callers on this machine need the API token as well. */
  requiresToken?: true;
  /** If undefined, no proxy is trusted. */
  trustedProxies?: TrustedProxies;
}

export function readAccess(reader: SettingReader, insecureOpenFlag: boolean | undefined): AccessConfig {
  const allowedHosts = readHosts(reader);
  const trustedProxies = readProxies(reader);
  const apiToken = reader.find({ key: "api_token", variables: ["PLATFORM_API_TOKEN"], ...secretReading });
  const insecureOpen = reader.get(
    {
      key: "insecure_open",
      flag: { name: "insecure-open", value: insecureOpenFlag },
      variables: ["ARGOSY_INSECURE_OPEN"],
      read: asFlag,
      expects: "true or false",
    },
    false,
  );
  const requiresToken = reader.get(
    { key: "require_token", variables: ["ARGOSY_REQUIRE_TOKEN"], read: asFlag, expects: "true or false" },
    false,
  );
  if (requiresToken && apiToken === undefined)
    reader.fault("ARGOSY_REQUIRE_TOKEN", "needs PLATFORM_API_TOKEN, the token that callers send");
  if (requiresToken && insecureOpen)
    reader.fault("ARGOSY_REQUIRE_TOKEN", "contradicts --insecure-open: set one of them");
  return {
    allowedHosts,
    ...(apiToken === undefined ? {} : { apiToken }),
    insecureOpen,
    ...(requiresToken && { requiresToken }),
    ...(trustedProxies === undefined ? {} : { trustedProxies }),
  };
}

function readHosts(reader: SettingReader): string[] {
  const variable = "ARGOSY_ALLOWED_HOSTS";
  const entries = reader.get(
    { key: "allowed_hosts", variables: [variable], read: asList, expects: "a comma-separated list of hosts" },
    [],
  );
  return entries.flatMap((entry) => {
    const host = sentHost(entry);
    if (typeof host === "string") return [host];
    reader.fault(variable, `has "${redactText(entry)}", which ${host.fault}`);
    return [];
  });
}

/** Returns a host as a `Host` header has it, or why no header has it. Headers have IPv6 addresses in brackets and names in ASCII. */
function sentHost(entry: string): string | { fault: string } {
  const host = isIPv6(entry) ? urlHost(entry) : entry;
  if (/[*]|^\./.test(host))
    return { fault: "is a pattern: write each name in full, such as argosy.example.org" };
  const [, name = "", port] = /^(\[[0-9a-f:.]+\]|[^\s:/?#@[\]\\]+)(?::(\d{1,5}))?$/i.exec(host) ?? [];
  const hostname = name === "" ? undefined : URL.parse(`http://${name}`)?.hostname;
  if (hostname !== undefined && (port === undefined || isPort(port)))
    return port === undefined ? hostname : `${hostname}:${Number(port)}`;
  const meant = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(host) ? host : `http://${host}`);
  const isAddress = meant !== null && meant.host !== "" && meant.host !== entry;
  if (isAddress) return { fault: `is more than a host: write ${meant.host}` };
  return {
    fault: "is not a host: write a name or an address, such as argosy.example.org, 10.0.0.1:8000 or fd00::5",
  };
}

const isPort = (text: string) => (asPort(text) ?? 0) > 0;

function readProxies(reader: SettingReader): TrustedProxies | undefined {
  const variable = "ARGOSY_TRUSTED_PROXIES";
  const entries = reader.find({
    key: "trusted_proxies",
    variables: [variable],
    read: asList,
    expects: "a comma-separated list of addresses and networks",
  });
  if (entries === undefined) return undefined;
  const { proxies, faults } = readTrustedProxies(entries);
  for (const { entry, message } of faults) reader.fault(variable, `has "${entry}", which ${message}`);
  return proxies;
}
