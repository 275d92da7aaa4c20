import { canonicalProvider, providerNames } from "../../engine/models/providers/registry.ts";
import { shippedPrices } from "../../engine/spending/price-table.ts";
import { type ChannelsFile, channelsFileKind } from "../../manifest/files/channels-file.ts";
import { type PricesFile, pricesFileKind } from "../../manifest/files/prices-file.ts";
import {
  canonicalProviders,
  type ProvidersFile,
  providersFileKind,
} from "../../manifest/files/providers-file.ts";
import { type RuntimeFile, runtimeFileKind } from "../../manifest/files/runtime-file.ts";
import { parseDocument, parseFile } from "../../manifest/schema/manifest-kind.ts";
import type { Variables } from "../../manifest/yaml/variables.ts";
import type { ConfigFileName } from "./config.ts";
import { workspaceText } from "./workspace-file.ts";

interface Values {
  "runtime.yaml": RuntimeFile;
  "providers.yaml": ProvidersFile;
  "prices.yaml": PricesFile;
  "channels.yaml": ChannelsFile;
}

/** A file of the workspace that only the start reads. */
interface ConfigFile<T> {
  parse(text: string, variables: Variables): T;
  /** Content without the file. */
  absent(): T;
}

const providersKind = providersFileKind({ types: providerNames(), canonical: canonicalProvider });

const files: { readonly [Name in ConfigFileName]: ConfigFile<Values[Name]> } = {
  "runtime.yaml": {
    parse: (text, variables) => parseFile(runtimeFileKind, text, "runtime.yaml", variables),
    absent: () => parseDocument(runtimeFileKind, { spec: {} }),
  },
  "providers.yaml": {
    parse: (text, variables) =>
      canonicalProviders(parseFile(providersKind, text, "providers.yaml", variables), canonicalProvider),
    absent: () => parseDocument(providersKind, { providers: {} }),
  },
  "prices.yaml": {
    parse: (text, variables) => parseFile(pricesFileKind, text, "prices.yaml", variables),
    absent: () => shippedPrices,
  },
  "channels.yaml": {
    parse: (text, variables) => parseFile(channelsFileKind, text, "channels.yaml", variables),
    absent: () => parseDocument(channelsFileKind, { channels: {} }),
  },
};

export const configFileNames = Object.keys(files) as ConfigFileName[];

/** Returns the content that a configuration has without this file. */
export const absentFile = <Name extends ConfigFileName>(name: Name): Values[Name] => files[name].absent();

/** Reads a file of the workspace. Throws AppError `invalid_manifest` with its problems. */
export function readConfigFile<Name extends ConfigFileName>(
  name: Name,
  workspace: string,
  variables: Variables,
): Values[Name] {
  const text = workspaceText(workspace, name);
  return text === undefined ? files[name].absent() : files[name].parse(text, variables);
}
