import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json" with { type: "json" };
import { createBreakers } from "../engine/models/breakers.ts";
import { callerBreakers } from "../engine/models/caller-breakers.ts";
import { createUntrustedEngine } from "../engine/prompts/untrusted-engine.ts";
import type { AgentParts } from "../engine/run/build-agent.ts";
import { builtinToolRows } from "../engine/tools/builtin/registry.ts";
import type { FileReach } from "../engine/tools/files/file-reach.ts";
import { internalToolRows } from "../engine/tools/internal/registry.ts";
import { McpServers } from "../engine/tools/mcp/mcp-servers.ts";
import { memoryLogins } from "../engine/tools/mcp/oauth/login-store.ts";
import { memoryPins } from "../engine/tools/mcp/tool-pins.ts";
import { createSqlRunner } from "../engine/tools/sql/sql-runner.ts";
import { createMemoryCache } from "../engine/tools/tool-cache.ts";
import type { Logger } from "../kit/log.ts";
import { SecretRegistry } from "../kit/secret-registry.ts";
import type { ManifestRegistries } from "../manifest/registries.ts";
import { childCommand } from "./child-command.ts";
import type { Config } from "./config.ts";
import { registriesOf } from "./registries.ts";
import { type TenantModels, tenantResolving } from "./tenant-models.ts";

/** What the agents of one tenant are built from. */
export interface TenantWorld {
  parts: AgentParts;
  /** The secrets of its manifests, masked in its runs alone: nobody's words are masked for another. */
  secrets: SecretRegistry;
  mcp: McpServers;
  /** The folder that its file tools may use; made when it is first asked for. */
  folder(): string;
}

export interface TenantWorlds {
  of(tenant: string): TenantWorld;
  /** Closes what a tenant without agents has open. */
  leave(tenant: string): void;
  close(): Promise<void>;
}

/** Variables of the operator that tools of tenants may use: what they pay for goes to services that the operator chose. */
const sharedSecrets: ReadonlySet<string> = new Set(["SEARCH_API_KEY"]);

/** The parts of every tenant: the operator's, without what is the operator's alone. */
export function createTenantWorlds(
  config: Config,
  { base, models, log }: { base: AgentParts; models: TenantModels; log: Logger },
): TenantWorlds {
  const worlds = new Map<string, TenantWorld>();
  const { clock } = base;
  const root = join(config.dataFolder, "tenants");
  const cache = createMemoryCache(clock);
  const sql = createSqlRunner({
    clock,
    childCommand: childCommand("sql-child"),
    files: { workspace: root, offLimits: [] },
  });
  const templates = createUntrustedEngine({ clock, childCommand: childCommand("template-child") });
  const registries = tenantRegistries(config);
  const circuit = config.providers.circuit_breaker;

  const open = (tenant: string): TenantWorld => {
    const secrets = new SecretRegistry();
    const mcp = new McpServers({
      clock,
      log,
      network: base.tools.network,
      pins: memoryPins(),
      logins: memoryLogins(),
      conceal: (secret) => secrets.add(secret),
      version,
      // No entry of a tenant starts a program.
      supervisor: [],
      folder: root,
      path: "",
    });
    const folder = () => {
      const path = join(root, tenant);
      mkdirSync(path, { recursive: true, mode: 0o700 });
      return realpathSync(path);
    };
    // Only tools that the operator has opened look at it.
    const files: FileReach = {
      get workspace() {
        return folder();
      },
      offLimits: [],
    };
    const own = createBreakers(clock, {
      failureThreshold: circuit.failure_threshold,
      cooldownMs: circuit.recovery_seconds * 1000,
    });
    const { ownTools: _tools, connections: _connections, ...tools } = base.tools;
    const { secret } = tools;
    return {
      secrets,
      mcp,
      folder,
      parts: {
        ...base,
        sender: "tenant",
        registries,
        templates,
        models: tenantResolving(base.models, models, base.tools.network, tenant),
        breakers: callerBreakers(tenant, { shared: base.breakers, own }),
        modelCalled: (call) =>
          base.modelCalled(models.isListed(call.provider, call.model) ? call : { ...call, model: "tenant" }),
        tools: {
          ...tools,
          templates,
          cache,
          mcp,
          sql,
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
      const known = worlds.get(tenant) ?? open(tenant);
      worlds.set(tenant, known);
      return known;
    },
    leave(tenant) {
      const world = worlds.get(tenant);
      worlds.delete(tenant);
      world?.mcp.close().catch((thrown) => log.error("tenant.mcp_open", { err: thrown }));
    },
    async close() {
      await Promise.all([...worlds.values()].map(({ mcp }) => mcp.close()));
      sql.close();
      templates.close();
    },
  };
}

/** What a tenant's manifest may name; who may use what of it is `manifest/tenant-policy.ts`. */
export function tenantRegistries(config: Config): ManifestRegistries {
  const all = registriesOf(config);
  return {
    ...all,
    builtinTools: builtinToolRows,
    internalTools: internalToolRows,
    // A caller that carries tools out itself has no way to answer through a control plane.
    toolTypes: all.toolTypes?.filter((type) => type !== "client") ?? [],
    // What a summary's model calls use is charged to nobody.
    memoryStrategies: ["sliding_window", "token_budget"],
    // Stores and embedders are the operator's: no address, and no paid service that nobody is charged for.
    semanticBackends: [config.runtime.spec.vectors?.backend ?? "lancedb"],
    embedders: ["local_hash"],
    channels: new Map(),
  };
}
