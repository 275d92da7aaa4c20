import { statSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../../../package.json" with { type: "json" };
import { agentKind } from "../../../manifest/agent/agent-kind.ts";
import { checkReferences } from "../../../manifest/check-references.ts";
import type { ManifestRegistries } from "../../../manifest/schema/registries.ts";
import { senderProblems } from "../../../manifest/senders/sender-policy.ts";
import type { AgentCatalog } from "../../../services/daemon/agents/agent-catalog.ts";
import { AgentLibrary } from "../../../services/daemon/agents/agent-library.ts";
import type { ManifestHistory } from "../../../services/daemon/agents/history/manifest-history.ts";
import type { ReleaseGate } from "../../../services/daemon/agents/release-gate.ts";
import { deleteCanaryRuns } from "../../../services/daemon/canary/store.ts";
import {
  keepValues,
  type ManifestReader,
  plainReader,
} from "../../../services/daemon/manifests/kept-values.ts";
import { operatorTenant } from "../../../services/daemon/operator-tenant.ts";
import { forgetApprovals } from "../../../services/daemon/paused-runs/store.ts";
import type { StoredProviders } from "../../../services/daemon/providers/stored-providers.ts";
import type { DaemonTables } from "../../../services/daemon/tables.ts";
import type { Storage } from "../../../storage/storage.ts";
import { isExecutable } from "../../child-command.ts";
import type { Foundation } from "../../foundation.ts";
import type { Config } from "../../settings/config.ts";
import { keepsAgents } from "../../settings/role-settings.ts";
import type { AgentBuilding } from "./agent-building.ts";
import type { DaemonKnowledge } from "./knowledge.ts";
import { type DaemonModels, providersRevision } from "./models.ts";

export interface AgentPorts {
  gate: ReleaseGate;
  storage: Storage<DaemonTables>;
  /** Receives the agents. */
  catalog: AgentCatalog;
  history: ManifestHistory;
  models: DaemonModels;
  knowledge: DaemonKnowledge;
  building: AgentBuilding;
}

/** Fifth stage: loads the workspace's agents into the catalog. */
export async function loadAgents(
  { config, clock, log, folder }: Pick<Foundation, "config" | "clock" | "log" | "folder">,
  { gate, storage, catalog, history, models, knowledge, building }: AgentPorts,
): Promise<AgentLibrary> {
  const { variables, storedProviders } = models;
  const { rag, sent, forget } = knowledge;
  const { parts, strangersParts, ownTools, connections } = building;
  const kindNow = agentKindBy(storedProviders, parts.registries);
  const library = new AgentLibrary({
    loader: {
      folder: join(config.workspace, "agents"),
      workspace: config.workspace,
      get kind() {
        // A provider that is set up or deleted is another name that manifests may give.
        variables.read(providersRevision);
        return kindNow();
      },
      reader: manifestReader(folder.path, config),
      variables,
      vet: (manifest, sender) => senderProblems(manifest, sender, sent.terms),
      build: (manifest, sender, guardrails) => {
        // Agents are built anew with other providers.
        variables.read(providersRevision);
        return building.build(manifest, sender, guardrails);
      },
    },
    catalog,
    persist: config.persistAgents,
    checkTogether: (agents) =>
      checkReferences(agents, {
        hasPipeline: (name) => rag.knowledge.pipeline(operatorTenant, name) !== undefined,
        hasTool: (name) => ownTools.mayHave(name),
        hasConnection: (name) => connections.find(name) !== undefined,
      }),
    surroundings: () =>
      [rag.rag.pipelines.list(), ownTools.list(), connections.names().map((name) => ({ name }))]
        .map((named) => named.map(({ name }) => name).join())
        .join(" "),
    serve(agents) {
      const servers = agents.flatMap(
        ({ live }) => live?.sources.flatMap(({ source }) => source.mcp?.server ?? []) ?? [],
      );
      parts.tools.mcp?.keep(servers);
      strangersParts.tools.mcp.keep(servers);
    },
    gate,
    async forget(agent) {
      const key = { tenant: operatorTenant, agent };
      await forgetApprovals(storage, key);
      await deleteCanaryRuns(storage, key);
      await forget(key);
      await history.forget(agent);
    },
    clock,
    log,
  });
  // Nodes with other roles hand runs over to those that have the agents.
  if (keepsAgents(config.role)) await library.look();
  return library;
}

/** From source, the parser may change while the program stays the same, so nothing is kept. */
function manifestReader(dataFolder: string, { knownSecrets }: Pick<Config, "knownSecrets">): ManifestReader {
  if (!isExecutable) return plainReader;
  const { size, mtimeMs } = statSync(process.execPath);
  return keepValues(
    join(dataFolder, "manifest-values.json"),
    `argosy ${version} ${size} ${mtimeMs}`,
    (text) => knownSecrets.mask(text),
  );
}

/** Schema of agents' manifests, rebuilt when the stored providers change. */
function agentKindBy(
  stored: StoredProviders,
  registries: ManifestRegistries,
): () => ReturnType<typeof agentKind> {
  let made: { revision: number; kind: ReturnType<typeof agentKind> } | undefined;
  return () => {
    const revision = stored.revision();
    if (made?.revision !== revision) {
      const names = stored.list().map(({ name }) => name);
      const providers = [...new Set([...(registries.providers ?? []), ...names])];
      made = { revision, kind: agentKind({ ...registries, providers }) };
    }
    return made.kind;
  };
}
