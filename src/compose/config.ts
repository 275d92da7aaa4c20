import { existsSync, readFileSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import type { LogLevel } from "../kit/log.ts";
import { parseFile } from "../manifest/manifest-kind.ts";
import { type ProvidersFile, providersFileKind } from "../manifest/providers-file.ts";
import { type RuntimeFile, runtimeFileKind } from "../manifest/runtime-file.ts";
import { type ServiceName, serviceRules } from "./services.ts";
import {
  asFlag,
  asHttpUrl,
  asList,
  asPort,
  asSecret,
  asText,
  oneOf,
  SettingReader,
  type SettingRow,
} from "./setting.ts";

/** What the command line may set. */
export interface ConfigFlags {
  workspace?: string;
  data?: string;
  host?: string;
  port?: string;
  services?: string;
  logLevel?: string;
  insecureOpen?: boolean;
  rehearse?: boolean;
}

export interface ServiceConfig {
  enabled: boolean;
  host: string;
  port: number;
}

/** Everything that may be configured, validated; each value's origin stands in `settings`. */
export interface Config {
  workspace: string;
  dataFolder: string;
  services: Record<ServiceName, ServiceConfig>;
  log: { level: LogLevel; format: "json" | "text" };
  access: { allowedHosts: string[]; apiToken?: string; insecureOpen: boolean };
  tls?: { certFile: string; keyFile: string };
  /** `kid:base64,…`; absent when they are to be generated. */
  secrets: { sealingKeys?: string; jwtKeys?: string; generate: boolean };
  databaseUrl?: string;
  models: {
    autoConfigure: boolean;
    localHost?: string;
    hostedKey?: string;
    hostedEndpoint?: string;
    /** Every agent runs on the rehearsal stand-in. */
    rehearse: boolean;
  };
  runtime: RuntimeFile;
  providers: ProvidersFile;
  /** Variables that the operator's files may read. */
  variable: (name: string) => string | undefined;
  settings: readonly SettingRow[];
}

/** Reads flags, environment and the workspace's files into one configuration, or throws AppError with every fault found. */
export function loadConfig(flags: ConfigFlags): Config {
  const environment = process.env;
  const reader = new SettingReader(environment);
  const variable = (name: string) => environment[name];

  const folder = (text: string) => resolve(text);
  const workspace = reader.get(
    {
      key: "workspace",
      flag: { name: "workspace", value: flags.workspace },
      variables: ["ARGOSY_WORKSPACE"],
      read: folder,
      expects: "a folder",
    },
    process.cwd(),
  );
  const runtime = parseFile(runtimeFileKind, readOptional(workspace, "runtime.yaml"), "runtime.yaml", variable);
  const providers = parseFile(providersFileKind, readOptional(workspace, "providers.yaml"), "providers.yaml", variable);
  const dataFolder = reader.get(
    {
      key: "data",
      flag: { name: "data", value: flags.data },
      variables: ["ARGOSY_DATA"],
      read: (text) => (isAbsolute(text) ? text : resolve(text)),
      expects: "a folder",
    },
    join(workspace, ".argosy"),
  );

  refuseWhatIsMissing(reader, environment);
  const certFile = reader.find({ key: "tls.cert", variables: ["ARGOSY_TLS_CERT"], read: folder, expects: "a file" });
  const keyFile = reader.find({ key: "tls.key", variables: ["ARGOSY_TLS_KEY"], read: folder, expects: "a file" });
  if ((certFile === undefined) !== (keyFile === undefined)) {
    reader.fault("ARGOSY_TLS_CERT", "and ARGOSY_TLS_KEY must be set together");
  }
  const config: Config = {
    workspace,
    dataFolder,
    services: readServices(reader, flags, runtime),
    log: readLog(reader, flags),
    access: readAccess(reader, flags),
    ...(certFile !== undefined && keyFile !== undefined ? { tls: { certFile, keyFile } } : {}),
    secrets: readSecrets(reader),
    ...defined("databaseUrl", readDatabaseUrl(reader)),
    models: readModels(reader, flags),
    runtime,
    providers,
    variable,
    settings: reader.rows,
  };
  reader.finish();
  return config;
}

function readServices(
  reader: SettingReader,
  flags: ConfigFlags,
  runtime: RuntimeFile,
): Record<ServiceName, ServiceConfig> {
  const names = Object.keys(serviceRules) as ServiceName[];
  const chosen = reader.find({
    key: "services",
    flag: { name: "services", value: flags.services },
    read: (text) => {
      const list = asList(text);
      return list?.every((name) => names.some((known) => known === name)) ? list : undefined;
    },
    expects: `a comma-separated list of ${names.join(", ")}`,
  });
  const commonHost = reader.get(
    {
      key: "host",
      flag: { name: "host", value: flags.host },
      variables: ["ARGOSY_HOST"],
      read: asText,
      expects: "an address",
    },
    "127.0.0.1",
  );
  const services: Partial<Record<ServiceName, ServiceConfig>> = {};
  for (const name of names) {
    const rule = serviceRules[name];
    const file = runtime.spec.services[name];
    const path = `spec.services.${name}`;
    const enabled = reader.get(
      {
        key: `services.${name}.enabled`,
        ...(chosen === undefined ? {} : { flag: { name: "services", value: chosen.includes(name) } }),
        file: { path: `${path}.enabled`, value: file?.enabled },
        read: asFlag,
        expects: "true or false",
      },
      true,
    );
    const host = reader.get(
      { key: `services.${name}.host`, file: { path: `${path}.host`, value: file?.host }, read: asText, expects: "an address" },
      commonHost,
    );
    const port = reader.get(
      {
        key: `services.${name}.port`,
        // One flag can only mean one service: the daemon, which everything else is reached through.
        ...(name === "daemon" ? { flag: { name: "port", value: flags.port } } : {}),
        variables: rule.portVariables,
        file: { path: `${path}.port`, value: file?.port },
        read: asPort,
        expects: "a port from 0 to 65535",
      },
      rule.port,
    );
    services[name] = { enabled, host, port };
  }
  return services as Record<ServiceName, ServiceConfig>;
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
      { key: "log.format", variables: ["PLATFORM_LOG_FORMAT"], read: oneOf(["json", "text"]), expects: "json or text" },
      "json",
    ),
  };
}

function readAccess(reader: SettingReader, flags: ConfigFlags): Config["access"] {
  const allowedHosts = reader.get(
    { key: "allowed_hosts", variables: ["ARGOSY_ALLOWED_HOSTS"], read: asList, expects: "a comma-separated list of hosts" },
    [],
  );
  const apiToken = reader.find({
    key: "api_token",
    variables: ["PLATFORM_API_TOKEN"],
    secret: true,
    read: asSecret,
    expects: "at least 32 bytes; `openssl rand -base64 32` makes one",
  });
  const insecureOpen = reader.get(
    {
      key: "insecure_open",
      flag: { name: "insecure-open", value: flags.insecureOpen },
      variables: ["ARGOSY_INSECURE_OPEN"],
      read: asFlag,
      expects: "true or false",
    },
    false,
  );
  return { allowedHosts, ...defined("apiToken", apiToken), insecureOpen };
}

function readSecrets(reader: SettingReader): Config["secrets"] {
  const keys = (key: string, variable: string) =>
    reader.find({ key, variables: [variable], secret: true, read: asText, expects: "`kid:base64,…`" });
  const sealingKeys = keys("sealing_keys", "ARGOSY_SEALING_KEYS");
  const jwtKeys = keys("jwt_keys", "ARGOSY_JWT_KEYS");
  const withoutGenerated = reader.get(
    { key: "no_generated_secrets", variables: ["ARGOSY_NO_GENERATED_SECRETS"], read: asFlag, expects: "true or false" },
    false,
  );
  return { ...defined("sealingKeys", sealingKeys), ...defined("jwtKeys", jwtKeys), generate: !withoutGenerated };
}

function readDatabaseUrl(reader: SettingReader): string | undefined {
  return reader.find({
    key: "database_url",
    variables: ["DATABASE_URL"],
    secret: true,
    read: (text) => (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text) ? text : undefined),
    expects: "a PostgreSQL address such as postgres://user@host/database",
  });
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
  const rehearse = reader.get(
    { key: "rehearse", flag: { name: "rehearse", value: flags.rehearse }, read: asFlag, expects: "true or false" },
    false,
  );
  return {
    autoConfigure,
    ...defined("localHost", localHost),
    ...defined("hostedKey", hostedKey),
    ...defined("hostedEndpoint", hostedEndpoint),
    rehearse,
  };
}

/** What the documents name and this version has not got yet is refused, not ignored. */
function refuseWhatIsMissing(reader: SettingReader, environment: Readonly<Record<string, string | undefined>>): void {
  const role = environment.PLATFORM_ROLE;
  if (role !== undefined && role !== "" && role !== "full") {
    reader.fault("PLATFORM_ROLE", `is ${JSON.stringify(role)}, but this version has only the role full`);
  }
  if (environment.PLATFORM_MESH_ENABLED !== undefined && asFlag(environment.PLATFORM_MESH_ENABLED) !== false) {
    reader.fault("PLATFORM_MESH_ENABLED", "must be false: this version has no mesh");
  }
  if (environment.REDIS_URL) reader.fault("REDIS_URL", "must not be set: this version does not use Redis");
}

/** An empty file stands for a missing one: every file has its defaults. */
function readOptional(workspace: string, name: string): string {
  const path = join(workspace, name);
  return existsSync(path) ? readFileSync(path, "utf8") : "{}";
}

function defined<Key extends string, T>(key: Key, value: T | undefined): { [K in Key]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]: T });
}
