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
import { parseDocument } from "../../manifest/schema/manifest-kind.ts";
import type { ConfigFileName, StartFileName } from "./config.ts";
import { type FileReading, parseWorkspaceFile, workspaceText } from "./workspace-file.ts";

interface Values {
  "runtime.yaml": RuntimeFile;
  "providers.yaml": ProvidersFile;
  "prices.yaml": PricesFile;
  "channels.yaml": ChannelsFile;
}

/** A file of the workspace with a part of the configuration. */
interface ConfigFile<T> {
  parse(text: string, reading: FileReading): T;
  /** Content without the file. */
  absent(): T;
}

const providersKind = providersFileKind({ types: providerNames(), canonical: canonicalProvider });

const files: { readonly [Name in ConfigFileName]: ConfigFile<Values[Name]> } = {
  "runtime.yaml": {
    parse: (text, reading) => parseWorkspaceFile(runtimeFileKind, text, "runtime.yaml", reading),
    absent: () => parseDocument(runtimeFileKind, { spec: {} }),
  },
  "providers.yaml": {
    parse: (text, reading) =>
      canonicalProviders(
        parseWorkspaceFile(providersKind, text, "providers.yaml", reading),
        canonicalProvider,
      ),
    absent: () => parseDocument(providersKind, { providers: {} }),
  },
  "prices.yaml": {
    parse: (text, reading) => parseWorkspaceFile(pricesFileKind, text, "prices.yaml", reading),
    absent: () => shippedPrices,
  },
  "channels.yaml": {
    parse: (text, reading) => parseWorkspaceFile(channelsFileKind, text, "channels.yaml", reading),
    absent: () => parseDocument(channelsFileKind, { channels: {} }),
  },
};

/** Files that only the start reads. */
export const startFileNames: readonly StartFileName[] = ["runtime.yaml", "channels.yaml"];

/** Returns the messages about sections left out of these files; each begins with the name of its file. */
export const leftOf = (names: readonly ConfigFileName[], left: readonly string[]): string[] =>
  left.filter((message) => names.some((name) => message.startsWith(`${name} `)));

/** Returns the content that a configuration has without this file. */
export const absentFile = <Name extends ConfigFileName>(name: Name): Values[Name] => files[name].absent();

/** Reads a file of the workspace. Throws AppError `invalid_manifest` with its problems. */
export function readConfigFile<Name extends ConfigFileName>(
  name: Name,
  workspace: string,
  reading: FileReading,
): Values[Name] {
  const text = workspaceText(workspace, name);
  return text === undefined ? files[name].absent() : files[name].parse(text, reading);
}
