import { buildAgent } from "../../../../engine/agents/build-agent.ts";
import type { RegistrySettings } from "../../../../engine/agents/manifest-registries.ts";
import type { RunnableAgent } from "../../../../engine/agents/runnable-agent.ts";
import { buildChains } from "../../../../engine/guardrails/build-chains.ts";
import type { ModelSources } from "../../../../engine/models/model-sources.ts";
import { ownKinds } from "../../../../engine/models/own-kinds.ts";
import { addressFault } from "../../../../engine/tools/network/address/address-fault.ts";
import { AppError, type Problem } from "../../../../kit/app-error.ts";
import { inPieces, othersTurn } from "../../../../kit/concurrency/others-turn.ts";
import { learnSecretsIn } from "../../../../kit/secrets/learn-secret.ts";
import type { AgentManifest } from "../../../../manifest/agent/agent.ts";
import { agentKind } from "../../../../manifest/agent/agent-kind.ts";
import { invalidManifest } from "../../../../manifest/fault.ts";
import { checkDocument } from "../../../../manifest/schema/manifest-kind.ts";
import type { ManifestRegistries } from "../../../../manifest/schema/registries.ts";
import { openableTools, ownDatabaseFile } from "../../../../manifest/senders/policy-terms.ts";
import { tenantProblems } from "../../../../manifest/senders/sender-policy.ts";
import { type OwnKeyModels, ownKeyModels } from "./own-key-models.ts";
import { rootedTools } from "./rooted-tools.ts";
import {
  type TenantEnvironment,
  type TenantEnvironments,
  type TenantSettings,
  tenantRegistries,
} from "./tenant-environments.ts";
import { type TenantModels, tenantModels } from "./tenant-models.ts";

export interface TenantBuilder {
  /**
   * Does in pieces what can be done so. The returned function builds the agent at once, because a tenant's parts may be released while
   * nothing uses them. Both throw AppError `invalid_manifest` with every problem.
   */
  prepare(tenant: string, spec: unknown, keys?: "own"): Promise<() => RunnableAgent>;
  /** Returns the problems that `prepare` and its function would throw. */
  check(tenant: string, spec: unknown, keys?: "own"): Promise<Problem[]>;
}

/** Terms for tenants' agents that follow the operator's providers. */
export interface TenantBuildTerms {
  models: TenantModels;
  ownKeys: OwnKeyModels;
  registries: ManifestRegistries;
  kinds: Record<"own" | "shared", ReturnType<typeof agentKind>>;
}

/** Returns the terms under these providers. */
export function tenantTerms(
  { providers, runtime, models: { rehearse } }: RegistrySettings & { models: { rehearse: boolean } },
  sources: ModelSources,
): TenantBuildTerms {
  const models = tenantModels(sources, runtime.spec.tenants?.providers, rehearse);
  const registries = tenantRegistries({ providers, runtime });
  const own = tenantRegistries({ providers, runtime }, "own");
  const kinds = { own: agentKind(own), shared: agentKind(registries) };
  return { models, ownKeys: ownKeyModels(sources, models), registries, kinds };
}

/** Builds agents of tenants under the policy in `manifest/senders/sender-policy.ts`. */
export function createTenantBuilder(
  config: TenantSettings,
  { environments, current }: { environments: TenantEnvironments; current: () => TenantBuildTerms },
): TenantBuilder {
  const terms = {
    ownKinds,
    addressFault: (url: string) => addressFault(url, config.network, closed),
    tools: new Set((config.runtime.spec.tenants?.tools ?? []).filter((name) => openableTools.includes(name))),
  };
  const prepare: TenantBuilder["prepare"] = async (tenant, spec, keys) => {
    const { kinds, models, ownKeys } = current();
    const checked = checkDocument(kinds[keys ?? "shared"], spec);
    if ("problems" in checked) throw invalidManifest(checked.problems);
    const { manifest } = checked;
    const { isConfigured, providers } = keys === "own" ? ownKeys : models;
    const problems = tenantProblems(manifest, { ...terms, isConfigured, providers });
    if (problems.length > 0) throw invalidManifest(problems);
    const guardrails = await inPieces(buildChains(manifest));
    await othersTurn();
    return () => {
      const environment = environments.of(tenant);
      learnSecretsIn(manifest.spec, environment.secrets);
      const own =
        keys === "own" ? { models: current().ownKeys.resolving(environment.parts.models, tenant) } : {};
      const agent = buildAgent(rooted(manifest, environment), { ...environment.parts, ...own }, guardrails);
      return { ...agent, manifest, tools: rootedTools(agent.tools, environment.folder) };
    };
  };
  return {
    prepare,
    async check(tenant, spec, keys) {
      try {
        const build = await prepare(tenant, spec, keys);
        build();
        return [];
      } catch (thrown) {
        if (thrown instanceof AppError && thrown.details.problems !== undefined)
          return thrown.details.problems;
        throw thrown;
      }
    },
  };
}

/** Returns the manifest with the options that the policy sets, so every file that a tool may use is in the tenant's folder. */
function rooted(manifest: AgentManifest, environment: TenantEnvironment): AgentManifest {
  const tools = manifest.spec.tools.map((tool) => {
    if (tool.type !== "builtin") return tool;
    if (tool.name === "read_file" || tool.name === "write_file") {
      return { ...tool, config: { ...tool.config, allowed_paths: [environment.folder()] } };
    }
    const file = tool.name === "sql_query" ? ownDatabaseFile(tool.config.connection_string) : undefined;
    if (file === undefined) return tool;
    return { ...tool, config: { ...tool.config, connection_string: `${environment.folder()}/${file}` } };
  });
  return { ...manifest, spec: { ...manifest.spec, tools } };
}

const closed = "leads into a network that is closed to tenants";
