import { discoverModels } from "../../../engine/models/discover-models.ts";
import type { ModelSources } from "../../../engine/models/model-sources.ts";
import { withheldVariables } from "../../../manifest/yaml/variables.ts";
import type { OnnxRuntime } from "../../../onnx/onnx-runtime.ts";
import {
  type ObservedVariables,
  observeVariables,
  providersRevision,
  skillsRevision,
} from "../../../services/daemon/manifests/observed-variables.ts";
import {
  openStoredProviders,
  type StoredProviders,
} from "../../../services/daemon/providers/stored-providers.ts";
import type { SkillFiles } from "../../../services/daemon/skills/skill-files.ts";
import type { Foundation } from "../../foundation.ts";
import { createProviderFetch } from "../../provider-fetch.ts";
import { type ModelFiles, openModelFiles } from "../../settings/model-files.ts";
import { fileVariables, keyVariables } from "../../settings/secrets/tool-secrets.ts";
import { discoverySettings } from "../discovery-settings.ts";
import { openOnnx } from "../onnx.ts";
import type { Stage } from "../stage.ts";
import type { DaemonState } from "./state.ts";

/** Sources of models, and the variables that files read. */
export interface DaemonModels extends Stage {
  sources: ModelSources;
  storedProviders: StoredProviders;
  files: ModelFiles;
  /** Another value after each change of the files or the stored providers. */
  revision(): string;
  /** Reads what changed in the files and in the shared database. Returns true if there was anything. */
  look(): Promise<boolean>;
  /** Also contains the revision, under `providersRevision`. */
  variables: ObservedVariables;
  onnx: OnnxRuntime;
}

/** Variable that changes when the workspace is trusted, or no longer. */
const trustState = "workspace.trust";

type Parts = Pick<Foundation, "config" | "folder" | "sealer" | "clock" | "log">;

/** Begins to look for models. It waits for servers, so it begins before the stages. */
export function beginDiscovery({
  config,
  clock,
  newId,
}: Pick<Foundation, "config" | "clock" | "newId">): Promise<ModelSources> {
  const discovering = discoverModels(discoverySettings(config), {
    fetch: createProviderFetch(clock),
    clock,
    newId,
  });
  // A storage that can't be opened must not leave an unhandled rejection.
  discovering.catch(() => {});
  return discovering;
}

/** Providers in files, in the environment and set up through the API. */
export async function openModels(
  { config, folder, sealer, clock, log }: Parts,
  { storage }: Pick<DaemonState, "storage">,
  { discovering, skills }: { discovering: Promise<ModelSources>; skills: Pick<SkillFiles, "revision"> },
): Promise<DaemonModels> {
  const { knownSecrets } = config;
  const conceal = (secret: string) => knownSecrets.add(secret);
  const storedProviders = await openStoredProviders({ storage, sealer, conceal, clock, log });
  const files = openModelFiles(config, log);
  const revision = () => `${storedProviders.revision()}.${files.revision()}`;
  const inFiles = fileVariables(config.variable, knownSecrets);
  const states: Readonly<Record<string, () => string>> = {
    [providersRevision]: revision,
    [skillsRevision]: () => skills.revision(),
    [trustState]: () => config.programs.withholding() ?? "",
  };
  const variables = observeVariables((name) => (states[name] ?? (() => inFiles(name)))());
  const refusal = () => variables.read(trustState) || undefined;
  const read = withheldVariables(variables.read, refusal);
  const discovered = await discovering;
  const onnx = openOnnx(folder.path, log, clock);
  return {
    sources: {
      ...discovered,
      file: storedProviders.over(files.providers),
      get defaults() {
        return files.runtime().spec.model_defaults;
      },
      stored: storedProviders,
      variable: keyVariables(variables.read, knownSecrets),
      refusal,
    },
    storedProviders,
    files,
    revision,
    async look() {
      const isChanged = files.look();
      // Only PostgreSQL is shared: a SQLite file has one process.
      return (storage.dialect === "postgres" && (await storedProviders.refresh())) || isChanged;
    },
    variables: { ...variables, read: (name) => (name in states ? variables.read(name) : read(name)) },
    onnx,
    close: () => onnx.close(),
  };
}
