import { inferenceEndpoint } from "../../engine/models/inference-endpoint.ts";
import { toAppError } from "../../kit/app-error.ts";
import type { Logger } from "../../kit/log.ts";
import { learnSecretsIn } from "../../kit/secrets/learn-secret.ts";
import type { PricesFile } from "../../manifest/files/prices-file.ts";
import type { ProvidersFile } from "../../manifest/files/providers-file.ts";
import type { RuntimeFile } from "../../manifest/files/runtime-file.ts";
import type { Config } from "./config.ts";
import { leftOf, readConfigFile } from "./config-files.ts";
import { fileVariables } from "./secrets/tool-secrets.ts";
import { fileState } from "./workspace-file.ts";

const names = ["providers.yaml", "prices.yaml", "runtime.yaml"] as const;
type Name = (typeof names)[number];

/**
 * providers.yaml, prices.yaml, and of runtime.yaml what agents have that say nothing else (`reloadedSections`), as they are now. After a change that can't be used, the
 * file's previous content stays in force.
 */
export interface ModelFiles {
  providers(): ProvidersFile;
  prices(): PricesFile;
  /** The file of the start with its reloaded sections. */
  runtime(): RuntimeFile;
  /** Another value after each change. */
  revision(): number;
  /** Why a file can't be used now, with the file's name. */
  faults(): readonly string[];
  /** A sentence for each section that is not used because the workspace isn't trusted. */
  left(): readonly string[];
  /** Reads the files that changed, or all if the workspace was trusted or no longer is. Returns true if something else is in force now. */
  look(): boolean;
}

/**
 * Adds the provider `mesh` if there are other nodes: the models of nodes with the role `inference`, each as `<provider>/<model>`. It speaks
 * the protocol that a node's own OpenAI-compatible routes speak.
 */
export function withMeshModels(file: ProvidersFile, hasNodes: boolean): ProvidersFile {
  if (!hasNodes || Object.hasOwn(file.providers, "mesh")) return file;
  return {
    ...file,
    providers: { ...file.providers, mesh: { type: "vllm", endpoint: inferenceEndpoint, prices: {} } },
  };
}

type Settings = Pick<
  Config,
  | "workspace"
  | "variable"
  | "knownSecrets"
  | "programs"
  | "providers"
  | "prices"
  | "runtime"
  | "left"
  | "mesh"
  | "peers"
>;

/** Opens the files, of which the configuration has the content at the start. */
export function openModelFiles(config: Settings, log: Logger): ModelFiles {
  const { workspace, variable, knownSecrets, programs, mesh, peers } = config;
  const variables = fileVariables(variable, knownSecrets);
  let { providers, prices, runtime } = config;
  let revision = 0;
  const stateOf = (name: Name) => fileState(workspace, name, programs.withholding());
  const states = new Map(names.map((name) => [name, stateOf(name)]));
  const left = new Map(
    names.map((name) => [name, name === "runtime.yaml" ? [] : leftOf([name], config.left)]),
  );
  const faults = new Map<Name, string>();

  const apply = (name: Name) => {
    const files: string[] = [];
    const onLeft = (message: string) => files.push(message);
    const reading = { variables, refusal: programs.withholding(), onLeft };
    if (name === "prices.yaml") {
      prices = readConfigFile(name, workspace, reading);
    } else if (name === "runtime.yaml") {
      const { model_defaults, defaults } = readConfigFile(name, workspace, reading).spec;
      const { model_defaults: _models, defaults: _defaults, ...others } = config.runtime.spec;
      const spec = { ...others, ...(model_defaults && { model_defaults }), ...(defaults && { defaults }) };
      if (JSON.stringify(spec) === JSON.stringify(runtime.spec)) return false;
      runtime = { ...config.runtime, spec };
      // What the start left out of other sections stays so until the next.
      return true;
    } else {
      const read = readConfigFile(name, workspace, reading);
      providers = withMeshModels(read, mesh !== undefined || peers !== undefined);
      learnSecretsIn([providers], knownSecrets);
    }
    left.set(name, files);
    return true;
  };

  return {
    providers: () => providers,
    prices: () => prices,
    runtime: () => runtime,
    revision: () => revision,
    faults: () => [...faults.values()],
    left: () => [...left.values()].flat(),
    look() {
      let isChanged = false;
      for (const name of names) {
        const state = stateOf(name);
        if (state === states.get(name)) continue;
        states.set(name, state);
        try {
          const isOther = apply(name);
          faults.delete(name);
          if (!isOther) continue;
          isChanged = true;
          log.info("config.reloaded", { file: name });
          for (const message of left.get(name) ?? []) log.warn("config.warning", { message });
        } catch (thrown) {
          const { message } = toAppError(thrown);
          faults.set(name, message);
          log.warn("config.refused", { file: name, message });
        }
      }
      if (isChanged) revision++;
      return isChanged;
    },
  };
}
