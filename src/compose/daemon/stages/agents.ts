import { statSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../../../package.json" with { type: "json" };
import { registriesOf } from "../../../engine/agents/manifest-registries.ts";
import { providerNames } from "../../../engine/models/providers/registry.ts";
import { byRevision } from "../../../kit/by-revision.ts";
import { agentKind } from "../../../manifest/agent/agent-kind.ts";
import { checkReferences } from "../../../manifest/check-references.ts";
import { senderProblems } from "../../../manifest/senders/sender-policy.ts";
import { AgentLibrary } from "../../../services/daemon/agents/agent-library.ts";
import { ManifestHistory } from "../../../services/daemon/agents/history/manifest-history.ts";
import { CanaryRuns } from "../../../services/daemon/canary/canary-runs.ts";
import { deleteCanaryRuns } from "../../../services/daemon/canary/store.ts";
import { forgetCallerRuns } from "../../../services/daemon/durable-runs/caller-run-store.ts";
import {
  keepValues,
  type ManifestReader,
  plainReader,
} from "../../../services/daemon/manifests/kept-values.ts";
import { providersRevision, skillsRevision } from "../../../services/daemon/manifests/observed-variables.ts";
import { pacedLook } from "../../../services/daemon/manifests/shared-look.ts";
import { manifestWatcher } from "../../../services/daemon/manifests/watch-manifests.ts";
import { forgetTasks } from "../../../services/daemon/mcp/tasks/store.ts";
import { operatorTenant } from "../../../services/daemon/operator-tenant.ts";
import { forgetApprovals } from "../../../services/daemon/paused-runs/store.ts";
import { createReleaseGate } from "../../../services/daemon/release/create-release-gate.ts";
import { openReleaseRecords } from "../../../services/daemon/release/release-records.ts";
import { forgetResponses } from "../../../services/daemon/responses/store.ts";
import { forgetTriggers } from "../../../services/daemon/triggers/store.ts";
import { isExecutable } from "../../child-command.ts";
import type { Foundation } from "../../foundation.ts";
import type { Config } from "../../settings/config.ts";
import { keepsAgents } from "../../settings/role-settings.ts";
import type { Stage } from "../stage.ts";
import type { AgentBuilding } from "./agent-building.ts";
import type { DaemonKnowledge } from "./knowledge.ts";
import type { DaemonModels } from "./models.ts";
import type { DaemonState } from "./state.ts";
import type { Telemetry } from "./telemetry.ts";

/** The operator's agents, and what decides which versions serve. */
export interface DaemonAgents extends Stage {
  library: AgentLibrary;
  /** Earlier manifests of the agents. */
  history: ManifestHistory;
  canaries: CanaryRuns;
  /** Looks at the workspace's files now. */
  look(): Promise<void>;
}

export interface AgentPorts {
  state: DaemonState;
  telemetry: Pick<Telemetry, "metrics">;
  models: DaemonModels;
  knowledge: DaemonKnowledge;
  building: AgentBuilding;
}

/** Loads the workspace's agents into the catalog. */
export async function loadAgents(
  { config, clock, newId, log, folder }: Pick<Foundation, "config" | "clock" | "newId" | "log" | "folder">,
  { state, telemetry, models, knowledge, building }: AgentPorts,
): Promise<DaemonAgents> {
  const { storage, catalog } = state;
  const { variables } = models;
  catalog.dependOn(() =>
    [...models.files.faults(), building.connections.fault()].filter((fault) => fault !== undefined),
  );
  const { rag, untrusted, forget } = knowledge;
  const { parts, untrustedParts, ownTools, skills, connections } = building;
  const mask = (text: string) => config.knownSecrets.mask(text);
  const history = new ManifestHistory({ storage, catalog, clock, log, mask });
  const releases = openReleaseRecords(config);
  const kindNow = agentKindBy(models);
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
      vet: (manifest, sender) => senderProblems(manifest, sender, untrusted.terms),
      build: (manifest, sender, guardrails) => {
        // Agents are built anew with other providers, and with other skills if they have any.
        variables.read(providersRevision);
        if (manifest.spec.skills !== undefined) variables.read(skillsRevision);
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
      untrustedParts.tools.mcp.keep(servers);
    },
    gate: createReleaseGate(config, releases, state.evalRuns, clock, log),
    async forget(agent) {
      const key = { tenant: operatorTenant, agent };
      await forgetApprovals(storage, key);
      await forgetResponses(storage, key);
      await forgetTasks(storage, key);
      await forgetCallerRuns(storage, key);
      await forgetTriggers(storage, key);
      await deleteCanaryRuns(storage, key);
      await forget(key);
      await history.forget(agent);
    },
    clock,
    log,
  });
  const keeps = keepsAgents(config.role);
  // Nodes with other roles hand runs over to those that have the agents.
  if (keeps) await library.look();
  const canaries = new CanaryRuns({
    storage,
    catalog,
    journal: releases,
    registry: telemetry.metrics.registry,
    ended: () => library.look(),
    clock,
    newId,
    log,
  });
  const lookAtProviders = async () => {
    if ((await models.look()) && keeps) await library.look();
  };
  const watched = (what: string, look: () => Promise<void>) => manifestWatcher({ what, look }, clock, log);
  const look = async () => {
    // The watchers log why a look failed, which stops none of the others. Agents are built with what the others found.
    const sources = [models, connections, ownTools, skills, rag.rag.pipelines, ...(keeps ? [library] : [])];
    for (const source of sources) await Promise.resolve(source.look()).catch(() => undefined);
  };
  catalog.lookFirst(pacedLook(look, clock));
  return {
    library,
    history,
    canaries,
    look,
    workers: [
      ...(keeps ? [watched("agent", () => library.look())] : []),
      watched("connection", () => connections.look()),
      watched("tool", () => ownTools.look()),
      watched("skill", async () => skills.look()),
      watched("provider", lookAtProviders),
    ],
  };
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

/** Schema of agents' manifests, rebuilt when the providers change. */
function agentKindBy({ storedProviders, files, revision }: DaemonModels): () => ReturnType<typeof agentKind> {
  return byRevision(revision, () => {
    const stored = storedProviders.list().map(({ name }) => name);
    const named = Object.keys(files.providers().providers);
    const registries = registriesOf({ providers: files.providers(), runtime: files.runtime() });
    return agentKind({ ...registries, providers: [...new Set([...providerNames(), ...named, ...stored])] });
  });
}
