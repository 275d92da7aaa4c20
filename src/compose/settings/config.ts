import type { MeshRole } from "../../contracts/daemon/mesh.ts";
import type { OpenedNetworks } from "../../engine/tools/network/address/opened-networks.ts";
import type { WorkspacePrograms } from "../../engine/tools/workspace-programs.ts";
import type { AppError } from "../../kit/app-error.ts";
import type { LogLevel } from "../../kit/log.ts";
import type { SecretRegistry } from "../../kit/secrets/secret-registry.ts";
import type { PricesFile } from "../../manifest/files/prices-file.ts";
import type { ProvidersFile } from "../../manifest/files/providers-file.ts";
import type { RuntimeFile } from "../../manifest/files/runtime-file.ts";
import type { AccessConfig } from "./access-settings.ts";
import type { ChannelsConfig } from "./channel-settings.ts";
import type { CloudConfig } from "./cloud-settings.ts";
import type { GatewayConfig, GatewayFlags } from "./gateway-settings.ts";
import type { MeshConfig } from "./mesh-settings.ts";
import type { ObservabilityConfig } from "./observability-settings.ts";
import type { PeersConfig } from "./peer-settings.ts";
import type { PlatformConfig } from "./platform-settings.ts";
import type { ServiceConfigs, ServiceFlags } from "./service-settings.ts";
import type { SettingRow } from "./setting.ts";
import type { TranslatorConfig } from "./translator-settings.ts";

/** Options of the command line. */
export interface ConfigFlags extends ServiceFlags, GatewayFlags {
  workspace?: string;
  data?: string;
  logLevel?: string;
  insecureOpen?: boolean;
  rehearse?: boolean;
  /** True to let the workspace's programs run in this process. */
  trust?: boolean;
}

/** Validated configuration; `settings` contains the origin of each value. */
export interface Config {
  /** Everything wrong with it. Commands that reach a running server need no sound one; nothing is assembled with a fault. */
  fault?: AppError;
  /** Files that can't be used and count as absent; `values` stands for faulty flags, variables and values of files. */
  faulty: readonly string[];
  workspace: string;
  /** Digests of the files that are read only at the start. */
  digests: ConfigDigests;
  dataFolder: string;
  /** This user's folder for files that can be made again, shared by all workspaces. */
  cacheFolder: string;
  programs: WorkspacePrograms;
  /** Settings of every service of this executable. */
  services: ServiceConfigs;
  log: { level: LogLevel; format: "json" | "text" };
  access: AccessConfig;
  tls?: { certFile: string; keyFile: string };
  /** `kid:base64,…`; absent if they are to be generated. */
  secrets: { sealingKeys?: string; jwtKeys?: string; generate: boolean };
  databaseUrl?: string;
  redisUrl?: string;
  models: {
    autoConfigure: boolean;
    localHost?: string;
    hostedKey?: string;
    hostedEndpoint?: string;
    /** OPENAI_API_KEY: sent only to OpenAI, and only if no hosted server is configured. */
    openAiKey?: string;
    /** True if every agent runs on the rehearsal stand-in. */
    rehearse: boolean;
  };
  observability: ObservabilityConfig;
  channels: ChannelsConfig;
  /** Token with which a platform on another machine uses the daemon. */
  runtimeToken?: string;
  platform: PlatformConfig;
  cloud: CloudConfig;
  gateway: GatewayConfig;
  translator: TranslatorConfig;
  /** Role of this node in the mesh. */
  role: MeshRole;
  /** Undefined if the mesh is off. */
  mesh?: MeshConfig;
  /** Daemons that work together without a mesh. */
  peers?: PeersConfig;
  /** Networks and hosts that tools may reach besides the public internet. */
  network: OpenedNetworks;
  /** True if agents sent through the API are saved as files in the workspace. */
  persistAgents: boolean;
  /** True if nodes that share the database also share the files of the workspace. */
  sharesWorkspace: boolean;
  /** True if services show the web console. */
  console: boolean;
  runtime: RuntimeFile;
  providers: ProvidersFile;
  /** Prices of the workspace, or else those shipped with Argosy. */
  prices: PricesFile;
  /** Variables that the operator's files may read. */
  variable: (name: string) => string | undefined;
  settings: readonly SettingRow[];
  /** Every secret of the configuration, to be masked in all output. */
  knownSecrets: SecretRegistry;
  /** A sentence for each section that was left out at the start because the workspace isn't trusted; logged at each start. */
  left: readonly string[];
  /** Settings without effect in this version; logged at each start. */
  warnings: readonly string[];
}

/** Files of the workspace that a configuration is read from. */
export type ConfigFileName = "runtime.yaml" | "providers.yaml" | "prices.yaml" | "channels.yaml";

/** Files that only the start reads. */
export type StartFileName = Extract<ConfigFileName, "runtime.yaml" | "channels.yaml">;

/** Digest of each file that only the start reads, because the texts may contain secrets; undefined if it can't be read. */
export type ConfigDigests = Readonly<Record<StartFileName, string | undefined>>;

/** Returns the configuration. Throws its fault if it has one. */
export function requireSound(config: Config): Config {
  if (config.fault !== undefined) throw config.fault;
  return config;
}
