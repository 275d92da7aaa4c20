import { readTrustedProxies, type TrustedProxies } from "../../http/front-door/trusted-proxies.ts";
import { secretReading } from "./secrets/secret-setting.ts";
import { asFlag, asList, type SettingReader } from "./setting.ts";

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
  const allowedHosts = reader.get(
    {
      key: "allowed_hosts",
      variables: ["ARGOSY_ALLOWED_HOSTS"],
      read: asList,
      expects: "a comma-separated list of hosts",
    },
    [],
  );
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
