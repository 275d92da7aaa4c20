import { isAbsolute, join, normalize, resolve } from "node:path";
import type { ModelSources } from "../../../engine/models/model-sources.ts";
import { ownKinds } from "../../../engine/models/own-kinds.ts";
import { findProviderKind } from "../../../engine/models/providers/registry.ts";
import { withScheme } from "../../../engine/models/resolve-model.ts";
import { isInside } from "../../../engine/tools/files/file-reach.ts";
import { addressFault } from "../../../engine/tools/network/address/address-fault.ts";
import { urlOfHost } from "../../../engine/tools/network/address/find-address.ts";
import type { OpenedNetworks } from "../../../engine/tools/network/address/opened-networks.ts";
import { readConnectionString } from "../../../engine/tools/sql/connection-string.ts";
import type { RuntimeFile } from "../../../manifest/files/runtime-file.ts";
import { ownersOnly } from "../../../manifest/senders/key-policy.ts";
import type { SenderTerms, VendorPlace } from "../../../manifest/senders/policy-terms.ts";

const closed = `leads into this machine or a private network; ${ownersOnly}, or the operator opens it by spec.network.allow`;

/** Folder for the file and SQL tools of untrusted senders' agents. */
export const sendersFolder = ({ workspace }: { workspace: string }): string => join(workspace, "files");

/** Configured endpoint of a provider, and the variable with its key. */
interface Configured {
  endpoint: string | undefined;
  keyVariable: string | undefined;
}

/** Settings that decide what senders may name. */
export interface SenderSettings {
  workspace: string;
  network: OpenedNetworks;
  databaseUrl?: string;
  runtime: RuntimeFile;
}

/** Permissions that the configuration gives to senders other than the machine's owner. */
export function senderTerms(config: SenderSettings, sources: ModelSources): SenderTerms {
  const fault = (url: string) => addressFault(url, config.network, closed);
  const folder = sendersFolder(config);
  const { vectors = {} } = config.runtime.spec;
  const ofModel = (provider: string) => configuredModel(provider, sources);
  const ofVendor = (provider: string) => configuredVendor(provider, sources);
  return {
    isConfigured: ({ provider, endpoint }) => isAt(endpoint, ofModel(provider)),
    mayNameKey: ({ provider, endpoint, api_key_env }) => isKeyOf(api_key_env, endpoint, ofModel(provider)),
    isConfiguredVendor: ({ provider, endpoint }) => isAt(endpoint, ofVendor(provider)),
    mayNameVendorKey: ({ provider, endpoint, api_key_env }: VendorPlace) =>
      isKeyOf(api_key_env, endpoint, ofVendor(provider)),
    ownKinds,
    addressFault: fault,
    hostFault: (host) => fault(urlOfHost(host)),
    folderFault(path) {
      const written = path.startsWith("{workspace}") ? join(config.workspace, path.slice(11)) : path;
      if (isAbsolute(written) && isInside(folder, normalize(written).replace(/(?<=.)\/+$/, "")))
        return undefined;
      return `must be {workspace}/files or a folder below it; ${ownersOnly}`;
    },
    databaseFault(connection) {
      const database = readConnectionString(connection);
      // The tool itself refuses text that is not a connection string.
      if ("problem" in database) return undefined;
      if (database.dialect === "postgres") return fault(urlOfHost(new URL(database.url).hostname));
      const paths = [database.path, database.orRelative ?? database.path];
      if (paths.every((path) => isInside(folder, resolve(config.workspace, path)))) return undefined;
      return `must be a file below files/ of the workspace, such as sqlite:files/shop.db; ${ownersOnly}`;
    },
    vectors: { ...vectors, ...(config.databaseUrl !== undefined && { dsn: config.databaseUrl }) },
  };
}

function isAt(endpoint: string | undefined, configured: Configured | undefined): boolean {
  return endpoint === undefined || isSameAddress(endpoint, configured?.endpoint);
}

function isKeyOf(
  variable: string | undefined,
  endpoint: string | undefined,
  configured: Configured | undefined,
): boolean {
  return configured !== undefined && variable === configured.keyVariable && isAt(endpoint, configured);
}

/** Finds the entry like `resolveModel`: the entry with that name, or the environment's settings for the kind. */
function configuredModel(provider: string, { file, local, hosted }: ModelSources): Configured | undefined {
  const entries = file?.providers ?? {};
  const entry = Object.hasOwn(entries, provider) ? entries[provider] : undefined;
  if (entry !== undefined) return ofEntry(entry);
  const kind = findProviderKind(provider)?.name;
  if (kind === "ollama" && local) return { endpoint: local.endpoint, keyVariable: undefined };
  return kind === "openai" && hosted
    ? { endpoint: hosted.endpoint, keyVariable: hosted.keyVariable ?? hostedKey }
    : undefined;
}

/** Finds the entry like `vendorServer`: the entry with that name or type, or the environment's settings. */
function configuredVendor(provider: string, sources: ModelSources): Configured | undefined {
  const { [provider]: named, ...others } = sources.file?.providers ?? {};
  const entry = [named, ...Object.values(others)].find((one) => one?.type === provider);
  if (entry !== undefined) return ofEntry(entry);
  if (provider === "ollama" && sources.local)
    return { endpoint: sources.local.endpoint, keyVariable: undefined };
  return provider === "openai" && sources.hosted
    ? { endpoint: sources.hosted.endpoint, keyVariable: sources.hosted.keyVariable ?? hostedKey }
    : undefined;
}

const hostedKey = "HOSTED_LLM_API_KEY";

const ofEntry = (entry: {
  type: string;
  endpoint?: string | undefined;
  api_key_env?: string | undefined;
}): Configured => ({
  endpoint: entry.endpoint ?? findProviderKind(entry.type)?.defaultEndpoint,
  keyVariable: entry.api_key_env,
});

function isSameAddress(one: string, other: string | undefined): boolean {
  const plain = (address: string) => withScheme(address).replace(/\/+$/, "");
  return other !== undefined && plain(one) === plain(other);
}
