import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../../../../package.json";
import type { AgentParts } from "../../../../engine/agents/build-agent.ts";
import { type RegistrySettings, registriesOf } from "../../../../engine/agents/manifest-registries.ts";
import { createBreakers, type SharedBreakers } from "../../../../engine/models/breakers.ts";
import { callerBreakers } from "../../../../engine/models/caller-breakers.ts";
import type { ResolveOptions } from "../../../../engine/models/model-sources.ts";
import { createUntrustedEngine } from "../../../../engine/templates/untrusted/untrusted-engine.ts";
import { builtinToolRows } from "../../../../engine/tools/builtin/registry.ts";
import type { FileReach } from "../../../../engine/tools/files/file-reach.ts";
import { internalToolRows } from "../../../../engine/tools/internal/registry.ts";
import { McpServers } from "../../../../engine/tools/mcp/mcp-servers.ts";
import { memoryLogins } from "../../../../engine/tools/mcp/oauth/login-store.ts";
import { memoryPins } from "../../../../engine/tools/mcp/tool-pins.ts";
import type { OpenedNetworks } from "../../../../engine/tools/network/address/opened-networks.ts";
import { createSqlRunner } from "../../../../engine/tools/sql/sql-runner.ts";
import { createMemoryCache } from "../../../../engine/tools/tool-cache.ts";
import type { KnownOwners } from "../../../../kit/concurrency/known-owners.ts";
import type { Logger } from "../../../../kit/log.ts";
import type { CircuitSettings } from "../../../../kit/outages/circuit-breaker.ts";
import { KeySecrets } from "../../../../kit/secrets/key-secrets.ts";
import { SecretRegistry } from "../../../../kit/secrets/secret-registry.ts";
import type { ManifestRegistries } from "../../../../manifest/schema/registries.ts";
import { type TenantModels, tenantResolving } from "./tenant-models.ts";

/** Parts for building the agents of one tenant. */
export interface TenantEnvironment {
  parts: AgentParts;
  /** Secrets in its manifests, masked only in its own runs, so a tenant can't mask words for others. */
  secrets: SecretRegistry;
  /** Its provider keys, which come with each run. */
  keySecrets: KeySecrets;
  /** The log with the tenant's id. */
  log: Logger;
  mcp: McpServers;
  /** Returns the folder for its file tools; created at its first use. */
  folder(): string;
}

export interface TenantEnvironments {
  of(tenant: string): TenantEnvironment;
  /** Closes the open resources of a tenant without agents. */
  leave(tenant: string): void;
  close(): Promise<void>;
}

/** Variables of the operator that tenants' tools may use, for paid services that the operator chose. */
const sharedSecrets: ReadonlySet<string> = new Set(["SEARCH_API_KEY"]);

/** Settings that decide what agents of tenants may name. */
export interface TenantSettings extends RegistrySettings {
  dataFolder: string;
  network: OpenedNetworks;
}

/** Parts of the operator's agents, with the settings of circuits as they are at each read. */
export type TenantBaseParts = AgentParts & { breakers: SharedBreakers; circuit: CircuitSettings };

/** What the parts of all tenants are made from. */
export interface TenantBase {
  base: TenantBaseParts;
  /** Models that tenants may use now, and the names in their manifests. */
  models: () => TenantModels;
  registries: () => ManifestRegistries;
  owners: KnownOwners;
  /** Command that starts a helper process of this program. */
  helperCommand: (name: string) => string[];
  log: Logger;
}

/** Creates the parts for each tenant: the operator's, without those reserved for the operator. */
export function createTenantEnvironments(
  config: TenantSettings,
  { base, models, registries, owners, helperCommand, log }: TenantBase,
): TenantEnvironments {
  const environments = new Map<string, TenantEnvironment>();
  const { clock } = base;
  const root = join(config.dataFolder, "tenants");
  const cache = createMemoryCache(clock);
  const sql = createSqlRunner({
    clock,
    childCommand: helperCommand("sql-child"),
    files: { workspace: root, offLimits: [] },
  });
  const templates = createUntrustedEngine({ clock, childCommand: helperCommand("template-child") });

  const open = (tenant: string): TenantEnvironment => {
    const secrets = new SecretRegistry();
    const mcp = new McpServers({
      clock,
      log,
      network: base.tools.network,
      pins: memoryPins(),
      logins: memoryLogins(),
      conceal: (secret) => secrets.add(secret),
      version,
      // A tenant's entry can't start a program.
      supervisor: [],
      refusal: () => "a tenant's agent starts no program",
      folder: root,
      path: "",
    });
    const folder = () => {
      const path = join(root, tenant);
      mkdirSync(path, { recursive: true, mode: 0o700 });
      return realpathSync(path);
    };
    // Used only by tools that the operator has opened.
    const files: FileReach = {
      get workspace() {
        return folder();
      },
      offLimits: [],
    };
    const own = createBreakers(clock, base.circuit);
    const { ownTools: _tools, connections: _connections, ...tools } = base.tools;
    const { secret } = tools;
    const owner = () => owners.of(tenant);
    const ownTemplates = templates.for(owner);
    return {
      secrets,
      keySecrets: new KeySecrets(),
      log: log.with({ tenant }),
      mcp,
      folder,
      parts: {
        ...base,
        sender: "tenant",
        get registries() {
          return registries();
        },
        templates: ownTemplates,
        // Read when an agent is built, with the providers of that moment.
        get models() {
          return tenantResolving(ownedModels(base.models, owner), models(), base.tools.network, tenant);
        },
        breakers: callerBreakers({ account: tenant, owner }, { shared: base.breakers, own }),
        modelCalled: (call) =>
          base.modelCalled(
            models().isListed(call.provider, call.model) ? call : { ...call, model: "tenant" },
          ),
        tools: {
          ...tools,
          templates: ownTemplates,
          cache,
          mcp,
          sql: { run: (call) => sql.run({ ...call, owner: owner() }), close: () => sql.close() },
          files,
          hasConnections: true,
          secret: (name) => (sharedSecrets.has(name) ? secret(name) : undefined),
          conceal: (text) => secrets.add(text),
        },
      },
    };
  };

  return {
    of(tenant) {
      const known = environments.get(tenant) ?? open(tenant);
      environments.set(tenant, known);
      return known;
    },
    leave(tenant) {
      const environment = environments.get(tenant);
      environments.delete(tenant);
      environment?.mcp.close().catch((thrown) => log.error("tenant.mcp_open", { err: thrown }));
    },
    async close() {
      await Promise.all([...environments.values()].map(({ mcp }) => mcp.close()));
      sql.close();
      templates.close();
    },
  };
}

/** The operator's models, with the tenant's turns where models run in this executable. */
function ownedModels(usual: ResolveOptions, owner: () => string): ResolveOptions {
  const { onnx } = usual.ports;
  if (onnx === undefined) return usual;
  return { ...usual, ports: { ...usual.ports, onnx: { ...onnx, runtime: onnx.runtime.ownedBy(owner) } } };
}

/**
 * Names that a tenant's manifest may use. `manifest/senders/sender-policy.ts` restricts them further. `keys` is `own` for agents that call
 * models with their tenant's keys.
 */
export function tenantRegistries(config: RegistrySettings, keys?: "own"): ManifestRegistries {
  const all = registriesOf(config);
  return {
    ...all,
    builtinTools: builtinToolRows,
    internalTools: internalToolRows,
    // A caller can't return results of client tools through a control plane.
    toolTypes: all.toolTypes?.filter((type) => type !== "client") ?? [],
    // Model calls for summaries are not charged, so only tenants that pay their provider themselves have summaries.
    memoryStrategies: ["sliding_window", "token_budget", ...(keys === "own" ? ["summary"] : [])],
    // Only the operator's store and a free embedder: no address from the tenant, and no paid service that is not charged.
    semanticBackends: [config.runtime.spec.vectors?.backend ?? "lancedb"],
    embedders: ["local_hash"],
    channels: new Map(),
  };
}
