import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type WorkspacePrograms, workspacePrograms } from "../engine/tools/workspace-programs.ts";
import { postgresAddressFault, redisAddressFault } from "../kit/database-address.ts";
import { SecretRegistry } from "../kit/secrets/secret-registry.ts";
import type { RuntimeFile } from "../manifest/files/runtime-file.ts";
import { services } from "./services.ts";
import { readAccess } from "./settings/access-settings.ts";
import { absentBytes, digestOf } from "./settings/changed-config.ts";
import { readChannels } from "./settings/channel-settings.ts";
import { readCloud } from "./settings/cloud-settings.ts";
import {
  type Config,
  type ConfigDigests,
  type ConfigFileName,
  type ConfigFlags,
  requireSound,
  type StartFileName,
} from "./settings/config.ts";
import { absentFile, leftOf, readConfigFile, startFileNames } from "./settings/config-files.ts";
import { readConnections } from "./settings/connections.ts";
import { readGateway } from "./settings/gateway-settings.ts";
import { readMesh, readNodeIdentity } from "./settings/mesh-settings.ts";
import { missingFromRuntimeFile, unusedSettings } from "./settings/missing-features.ts";
import { withMeshModels } from "./settings/model-files.ts";
import { readNetwork } from "./settings/network-settings.ts";
import { readObservability } from "./settings/observability-settings.ts";
import { readPeers } from "./settings/peer-settings.ts";
import { readPlatform, readRuntimeToken } from "./settings/platform-settings.ts";
import { answersPeople, keepsAgents, readRole, startsIn } from "./settings/role-settings.ts";
import { learnConfigured } from "./settings/secrets/configured-secrets.ts";
import { fileVariables } from "./settings/secrets/tool-secrets.ts";
import { readServices } from "./settings/service-settings.ts";
import { asFlag, asFolder, asHttpUrl, asPath, asText, oneOf, SettingReader } from "./settings/setting.ts";
import { readTranslator } from "./settings/translator-settings.ts";
import { trustedFolders } from "./settings/trust/trusted-folders.ts";
import { userFolder } from "./settings/user-folder.ts";
import { readVectors } from "./settings/vector-settings.ts";
import type { FileReading } from "./settings/workspace-file.ts";

/** Returns the installation's workspace and the variables for its files, without reading any file. */
export function workspaceOf(flags: ConfigFlags): Pick<Config, "workspace" | "variable" | "programs"> {
  const environment = process.env;
  const reader = new SettingReader(environment);
  const workspace = readWorkspace(reader, flags);
  const programs = readPrograms(reader, flags, workspace);
  return { workspace, variable: (name) => environment[name], programs };
}

/** Returns a variable of the user's session, such as HOME or PATH, for commands that change the machine. */
export const processVariable = (name: string): string | undefined => process.env[name];

/** Like `readConfig`. Throws AppError with every fault found. */
export function loadConfig(flags: ConfigFlags): Config {
  return requireSound(readConfig(flags));
}

/**
 * Reads flags, environment and the workspace's files into one configuration. Its `fault` has every fault of these; a faulty file or value
 * then counts as absent. Throws AppError only if the workspace or the data folder can't be told.
 */
export function readConfig(flags: ConfigFlags): Config {
  const environment = process.env;
  const reader = new SettingReader(environment);
  const knownSecrets = new SecretRegistry();
  const variable = fileVariables((name) => environment[name], knownSecrets);

  const workspace = readWorkspace(reader, flags);
  const dataFolder = reader.get(
    {
      key: "data",
      flag: { name: "data", value: flags.data },
      variables: ["ARGOSY_DATA"],
      read: asPath,
      expects: "a folder",
    },
    join(workspace, ".argosy"),
  );
  // Servers are found by it.
  reader.finish();
  const programs = readPrograms(reader, flags, workspace);
  const left: string[] = [];
  const reading: FileReading = {
    variables: variable,
    refusal: programs.withholding(),
    onLeft: (message) => left.push(message),
  };
  const read = <Name extends ConfigFileName>(name: Name) =>
    reader.file(
      name,
      () => readConfigFile(name, workspace, reading),
      () => absentFile(name),
    );
  const runtime = read("runtime.yaml");
  const providers = read("providers.yaml");
  const prices = read("prices.yaml");

  for (const { path, message } of missingFromRuntimeFile(runtime))
    reader.fault(`runtime.yaml ${path}`, message);
  const certFile = reader.find({
    key: "tls.cert",
    variables: ["ARGOSY_TLS_CERT"],
    read: asPath,
    expects: "a file",
  });
  const keyFile = reader.find({
    key: "tls.key",
    variables: ["ARGOSY_TLS_KEY"],
    read: asPath,
    expects: "a file",
  });
  if ((certFile === undefined) !== (keyFile === undefined)) {
    reader.fault("ARGOSY_TLS_CERT", "and ARGOSY_TLS_KEY must be set together");
  }
  const runtimeToken = readRuntimeToken(reader);
  const gateway = readGateway(reader, runtime, flags);
  const { role, joinsMesh } = readRole(reader);
  const serviceConfigs = readServices(reader, flags, runtime, services, (name) => startsIn(role, name));
  const identity = readNodeIdentity(reader, runtime);
  const mesh = readMesh(reader, runtime, serviceConfigs, { identity, joinsMesh });
  const peers = readPeers(reader, runtime, serviceConfigs, { identity, mesh, role });
  const observability = readObservability(reader, runtime);
  const channels = reader.file<Config["channels"]>(
    "channels.yaml",
    () => {
      const file = readConfigFile("channels.yaml", workspace, reading);
      // The variables alone are no channel, so with a part left out there is none.
      const isLeft = leftOf(["channels.yaml"], left).length > 0;
      return isLeft ? { phoneMessenger: undefined } : readChannels(reader, file, variable);
    },
    () => ({ phoneMessenger: undefined }),
  );
  const databaseUrl = readDatabaseUrl(reader);
  const sharesWorkspace = readSharesWorkspace(
    reader,
    runtime,
    databaseUrl !== undefined && keepsAgents(role),
  );
  const config: Config = {
    workspace,
    digests: digestsIn(workspace),
    dataFolder,
    cacheFolder: userFolder("cache", processVariable),
    programs,
    services: serviceConfigs,
    log: readLog(reader, flags),
    access: readAccess(reader, flags.insecureOpen),
    ...(certFile !== undefined && keyFile !== undefined ? { tls: { certFile, keyFile } } : {}),
    secrets: readSecrets(reader),
    ...defined("databaseUrl", databaseUrl),
    ...defined("redisUrl", readRedisUrl(reader)),
    models: readModels(reader, flags),
    observability,
    channels: answersPeople(role) ? channels : { phoneMessenger: undefined },
    ...defined("runtimeToken", runtimeToken),
    platform: readPlatform(reader, runtime, { runtimeToken, senderKey: gateway.trustedSenderKey }),
    gateway,
    cloud: readCloud(reader, runtime),
    translator: readTranslator(reader, runtime, variable),
    role,
    ...defined("mesh", mesh),
    ...defined("peers", peers),
    network: readNetwork(reader, runtime),
    sharesWorkspace,
    persistAgents: readPersistAgents(reader, runtime, sharesWorkspace),
    console: readConsole(reader, runtime, answersPeople(role)),
    runtime,
    providers: withMeshModels(providers, mesh !== undefined || peers !== undefined),
    prices,
    variable,
    settings: reader.rows,
    knownSecrets,
    left,
    faulty: [],
    warnings: unusedSettings(environment, runtime, {
      hasMesh: mesh !== undefined,
      exportsTraces: observability.otlp !== undefined,
    }),
  };
  // The daemon reads it again when it changes. A file with errors prevents the start, like any other file.
  reader.file(
    "connections.yaml",
    () => void readConnections(workspace, { ...reading, onLeft: () => undefined }, knownSecrets),
    () => undefined,
  );
  const hasNodes = (mesh !== undefined || peers !== undefined) && keepsAgents(role);
  readVectors(reader, runtime, config.databaseUrl, hasNodes);
  noteRuntimeFile(reader, runtime);
  learnConfigured(config, environment);
  return { ...config, faulty: reader.faulty(), ...defined("fault", reader.refusal()) };
}

/** Records the settings that only runtime.yaml can have: limits, defaults of agents, and permissions of tenants. */
function noteRuntimeFile(reader: SettingReader, { spec }: RuntimeFile): void {
  const { limits, defaults, tenants } = spec;
  const rows: readonly (readonly [key: string, value: unknown, fallback: string])[] = [
    ["limits.runs_in_flight", limits?.runs_in_flight, "256"],
    ["limits.runs_waiting", limits?.runs_waiting, "1024"],
    ["defaults.orchestration.pattern", defaults?.orchestration?.pattern, "react"],
    ["defaults.orchestration.max_iterations", defaults?.orchestration?.max_iterations, "10"],
    ["defaults.orchestration.timeout_seconds", defaults?.orchestration?.timeout_seconds, "120"],
    ["tenants.tools", tenants?.tools, ""],
    ["tenants.providers", tenants?.providers, "all"],
  ];
  for (const [key, value, fallback] of rows) {
    const file = { path: `spec.${key}`, value };
    reader.get({ key, file, read: asText, expects: "text" }, fallback);
  }
}

function readWorkspace(reader: SettingReader, flags: ConfigFlags): string {
  const rule = {
    key: "workspace",
    flag: { name: "workspace", value: flags.workspace },
    variables: ["ARGOSY_WORKSPACE"],
    read: asFolder,
    expects: "a folder that exists",
  };
  const workspace = reader.get(rule, process.cwd());
  // All other files are read from the workspace.
  reader.finish();
  return workspace;
}

/** `trust` is never read from the workspace, whose author it is about. */
function readPrograms(reader: SettingReader, flags: ConfigFlags, workspace: string): WorkspacePrograms {
  const folders = trustedFolders(processVariable);
  const isListed = folders.has(workspace);
  const trust = reader.get(
    {
      key: "trust",
      flag: { name: "trust", value: flags.trust },
      variables: ["ARGOSY_TRUST"],
      read: asFlag,
      expects: "true or false",
    },
    isListed,
    isListed ? { source: "trusted folders", name: folders.file } : undefined,
  );
  const isSaid = ["flag", "environment"].includes(reader.rows.at(-1)?.source ?? "");
  return workspacePrograms(workspace, folders, {
    said: isSaid ? trust : undefined,
    onTerminal: process.stdin.isTTY === true,
  });
}

function readLog(reader: SettingReader, flags: ConfigFlags): Config["log"] {
  const levels = ["debug", "info", "warning", "error"] as const;
  return {
    level: reader.get(
      {
        key: "log.level",
        flag: { name: "log-level", value: flags.logLevel },
        variables: ["PLATFORM_LOG_LEVEL"],
        read: oneOf(levels),
        expects: `one of ${levels.join(", ")}`,
      },
      "info",
    ),
    format: reader.get(
      {
        key: "log.format",
        variables: ["PLATFORM_LOG_FORMAT"],
        read: oneOf(["json", "text"]),
        expects: "json or text",
      },
      "json",
    ),
  };
}

function readSecrets(reader: SettingReader): Config["secrets"] {
  const keys = (key: string, variable: string) =>
    reader.find({ key, variables: [variable], secret: true, read: asText, expects: "`kid:base64,…`" });
  const sealingKeys = keys("sealing_keys", "ARGOSY_SEALING_KEYS");
  const jwtKeys = keys("jwt_keys", "ARGOSY_JWT_KEYS");
  const withoutGenerated = reader.get(
    {
      key: "no_generated_secrets",
      variables: ["ARGOSY_NO_GENERATED_SECRETS"],
      read: asFlag,
      expects: "true or false",
    },
    false,
  );
  return {
    ...defined("sealingKeys", sealingKeys),
    ...defined("jwtKeys", jwtKeys),
    generate: !withoutGenerated,
  };
}

function readDatabaseUrl(reader: SettingReader): string | undefined {
  return reader.find({
    key: "database_url",
    variables: ["DATABASE_URL"],
    secret: true,
    ...addressReading(postgresAddressFault),
  });
}

/** Reads the address of a database; `faultOf` returns what it must be, without a part of it. */
const addressReading = (faultOf: (text: string) => string | undefined) => ({
  read: (text: string) => (faultOf(text) === undefined ? text : undefined),
  expects: (text: string) => faultOf(text) ?? "",
});

function readRedisUrl(reader: SettingReader): string | undefined {
  return reader.find({
    key: "redis_url",
    variables: ["REDIS_URL"],
    secret: true,
    ...addressReading(redisAddressFault),
  });
}

/** `isPossible`: this node shares a database and has agents. */
function readSharesWorkspace(reader: SettingReader, runtime: RuntimeFile, isPossible: boolean): boolean {
  const isWanted = reader.get(
    {
      key: "workspace.shared",
      variables: ["ARGOSY_SHARED_WORKSPACE"],
      file: { path: "spec.workspace.shared", value: runtime.spec.workspace?.shared },
      read: asFlag,
      expects: "true or false",
    },
    true,
  );
  return isWanted && isPossible;
}

/** True if agents created over the API become files. By default they do in a shared workspace: other nodes would lack what one keeps in memory. */
function readPersistAgents(reader: SettingReader, runtime: RuntimeFile, sharesWorkspace: boolean): boolean {
  return reader.get(
    {
      key: "persist_agents",
      variables: ["PLATFORM_PERSIST_AGENTS"],
      file: { path: "spec.agents.persist", value: runtime.spec.agents?.persist },
      read: asFlag,
      expects: "true or false",
    },
    sharesWorkspace,
  );
}

function readConsole(reader: SettingReader, runtime: RuntimeFile, usual: boolean): boolean {
  return reader.get(
    {
      key: "console",
      variables: ["ARGOSY_CONSOLE"],
      file: { path: "spec.console.enabled", value: runtime.spec.console?.enabled },
      read: asFlag,
      expects: "on or off",
    },
    usual,
  );
}

function readModels(reader: SettingReader, flags: ConfigFlags): Config["models"] {
  const autoConfigure = reader.get(
    { key: "auto_config", variables: ["PLATFORM_AUTO_CONFIG"], read: asFlag, expects: "true or false" },
    true,
  );
  const localHost = reader.find({
    key: "models.local_host",
    variables: ["LOCAL_MODEL_HOST"],
    read: asHttpUrl,
    expects: "an http or https address",
  });
  const hostedKey = reader.find({
    key: "models.hosted_key",
    variables: ["HOSTED_LLM_API_KEY"],
    secret: true,
    read: asText,
    expects: "a key",
  });
  const hostedEndpoint = reader.find({
    key: "models.hosted_endpoint",
    variables: ["HOSTED_LLM_ENDPOINT"],
    read: asHttpUrl,
    expects: "an http or https address",
  });
  // A key is used only for the vendor it was configured for and never sent to another one.
  const openAiKey =
    hostedKey !== undefined || hostedEndpoint !== undefined
      ? undefined
      : reader.find({
          key: "models.openai_key",
          variables: ["OPENAI_API_KEY"],
          secret: true,
          read: asText,
          expects: "a key",
        });
  const rehearse = reader.get(
    {
      key: "rehearse",
      flag: { name: "rehearse", value: flags.rehearse },
      read: asFlag,
      expects: "true or false",
    },
    false,
  );
  return {
    autoConfigure,
    ...defined("localHost", localHost),
    ...defined("hostedKey", hostedKey),
    ...defined("hostedEndpoint", hostedEndpoint),
    ...defined("openAiKey", openAiKey),
    rehearse,
  };
}

function digestsIn(workspace: string): ConfigDigests {
  return Object.fromEntries(startFileNames.map((name) => [name, digestAt(workspace, name)])) as ConfigDigests;
}

/** Returns undefined for a file that can't be read, or a folder in its place. */
function digestAt(workspace: string, name: StartFileName): string | undefined {
  let bytes: Uint8Array | undefined;
  try {
    bytes = readFileSync(join(workspace, name));
  } catch (thrown) {
    bytes = absentBytes(thrown);
  }
  return bytes && digestOf(name, bytes);
}

function defined<Key extends string, T>(key: Key, value: T | undefined): { [K in Key]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]: T });
}
