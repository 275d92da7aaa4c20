import type { ModelSources } from "../../../engine/models/model-sources.ts";
import { withheldVariables } from "../../../manifest/yaml/variables.ts";
import type { OnnxRuntime } from "../../../onnx/onnx-runtime.ts";
import {
  type ObservedVariables,
  observeVariables,
} from "../../../services/daemon/manifests/observed-variables.ts";
import {
  openStoredProviders,
  type StoredProviders,
} from "../../../services/daemon/providers/stored-providers.ts";
import type { DaemonTables } from "../../../services/daemon/tables.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { Foundation } from "../../foundation.ts";
import { fileVariables, keyVariables } from "../../settings/secrets/tool-secrets.ts";
import { openOnnx } from "../onnx.ts";

/** Sources of models, and the variables that files read. */
export interface DaemonModels {
  sources: ModelSources;
  storedProviders: StoredProviders;
  /** Also contains the revision of the stored providers, under `providersRevision`. */
  variables: ObservedVariables;
  onnx: OnnxRuntime;
}

/** Variable that changes with the stored providers. No file can name it: variables are written in capitals. */
export const providersRevision = "providers.revision";

/** Variable that changes when the workspace is trusted, or no longer. */
const trustState = "workspace.trust";

type Parts = Pick<Foundation, "config" | "folder" | "sealer" | "clock" | "log">;

/**
 * Second stage: providers in files, in the environment and set up through the API. `discovering` is the answer of `discoverModels`, which
 * waits for servers and so begins before other stages.
 */
export async function openModels(
  { config, folder, sealer, clock, log }: Parts,
  storage: Storage<DaemonTables>,
  discovering: Promise<ModelSources>,
): Promise<DaemonModels> {
  const { knownSecrets } = config;
  const conceal = (secret: string) => knownSecrets.add(secret);
  const storedProviders = await openStoredProviders({ storage, sealer, conceal, clock, log });
  const inFiles = fileVariables(config.variable, knownSecrets);
  const states: Readonly<Record<string, () => string>> = {
    [providersRevision]: () => String(storedProviders.revision()),
    [trustState]: () => config.programs.withholding() ?? "",
  };
  const variables = observeVariables((name) => (states[name] ?? (() => inFiles(name)))());
  const refusal = () => variables.read(trustState) || undefined;
  const read = withheldVariables(variables.read, refusal);
  const discovered = await discovering;
  return {
    sources: {
      ...discovered,
      file: storedProviders.over(discovered.file),
      stored: storedProviders,
      variable: keyVariables(variables.read, knownSecrets),
      refusal,
    },
    storedProviders,
    variables: { ...variables, read: (name) => (name in states ? variables.read(name) : read(name)) },
    onnx: openOnnx(folder.path, log, clock),
  };
}
