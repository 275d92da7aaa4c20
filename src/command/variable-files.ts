import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { readsVariables, withholdSections } from "../compose/settings/trust/withheld-sections.ts";
import { findProviderKind } from "../engine/models/providers/registry.ts";
import { searchProviders } from "../engine/tools/web/search/search-providers.ts";
import { isRecord } from "../kit/json/is-record.ts";
import { readYaml } from "../manifest/yaml/read-yaml.ts";
import { workspaceFiles } from "./manifest-files.ts";

type Mapping = Record<string, unknown>;
type IsSet = (variable: string) => boolean;

/**
 * Returns the files of a workspace that get variables of this user: those that read one by `${…}`, and those that send one as a key to an
 * address of their own. A key for a provider's own address doesn't count.
 */
export function variableFiles(workspace: string, isSet: IsSet): string[] {
  const files = workspaceFiles(workspace)
    .filter((path) => basename(path) !== "platform.yaml")
    .map((path) => ({ path, content: contentOf(path) }));
  const providers = files.find(({ path }) => basename(path) === "providers.yaml")?.content.providers;
  const entries = isRecord(providers) ? providers : {};
  return files.filter(({ content }) => getsVariables(content, entries, isSet)).map(({ path }) => path);
}

/** What can't be read is refused when it is used. */
function contentOf(path: string): Mapping {
  try {
    const reading = readYaml(readFileSync(path, "utf8"));
    return "problem" in reading ? {} : reading.value;
  } catch {
    return {};
  }
}

function getsVariables(content: Mapping, entries: Mapping, isSet: IsSet): boolean {
  if (readsVariables(content) || withholdSections(content, isSet).left.length > 0) return true;
  const open: unknown[] = [content];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (isRecord(value) && sendsKey(value, entries)) return true;
    if (typeof value === "object" && value !== null)
      open.push(...Object.values(value).map((one) => one ?? ""));
  }
  return false;
}

function sendsKey(block: Mapping, entries: Mapping): boolean {
  const { type, provider, endpoint, url } = block;
  if (block.name === "web_search" && isRecord(block.config)) return sendsSearchKey(block.config);
  if (block.api_key_env === undefined) return false;
  if (url !== undefined) return true;
  const name = String(provider ?? type ?? "");
  // A pipeline's provider is also the entry of that type.
  const entry = Object.hasOwn(entries, name)
    ? entries[name]
    : Object.values(entries).find((one) => isRecord(one) && one.type === name);
  const named = isRecord(entry) ? entry : {};
  const address = endpoint ?? named.endpoint;
  const usual = findProviderKind(String(named.type ?? type ?? name))?.defaultEndpoint;
  return address !== undefined && withoutSlash(String(address)) !== withoutSlash(usual ?? "");
}

/** The key of a search is the environment's unless the file has one. */
function sendsSearchKey({ provider, base_url: address, api_key: key }: Mapping): boolean {
  const search = searchProviders.get(String(provider ?? searchProviders.keys().next().value));
  const isOwn =
    address !== undefined && withoutSlash(String(address)) !== withoutSlash(search?.baseUrl ?? "");
  return isOwn && key === undefined && search?.needsKey === true;
}

const withoutSlash = (address: string) => address.replace(/\/+$/, "");
