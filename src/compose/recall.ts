import type { EpisodicMemory } from "../engine/memory/episodic-memory.ts";
import type { MemoryOwner } from "../engine/memory/memory-scope.ts";
import type { EpisodicSettings, RecallParts } from "../engine/run/build-recall.ts";
import type { RunnableAgent } from "../engine/run/runnable-agent.ts";
import { redactText } from "../kit/redact-text.ts";
import type { Worker } from "../kit/worker.ts";
import type { RetrievalParts } from "../retrieval/retrieval-parts.ts";
import { HeldVectors } from "../retrieval/stores/held-vectors.ts";
import type { AgentCatalog } from "../services/daemon/agents/agent-catalog.ts";
import { operatorTenant } from "../services/daemon/deps.ts";
import type { DaemonRecall } from "../services/daemon/memory/daemon-recall.ts";
import type { EpisodeTables } from "../services/daemon/memory/episodes/schema.ts";
import { deleteEpisodes } from "../services/daemon/memory/episodes/store.ts";
import { type StoredEpisodes, storedEpisodes } from "../services/daemon/memory/episodes/stored-episodes.ts";
import type { SemanticTables } from "../services/daemon/memory/semantic/schema.ts";
import { createSemanticMemories } from "../services/daemon/memory/semantic/semantic-memories.ts";
import type { DaemonMetrics } from "../services/daemon/metrics/daemon-metrics.ts";
import type { Storage } from "../storage/storage.ts";
import type { Foundation } from "./foundation.ts";
import { semanticSetup } from "./semantic-setup.ts";

export interface RecallPorts {
  storage: Storage<SemanticTables & EpisodeTables>;
  retrieval: RetrievalParts;
  catalog: () => AgentCatalog;
  metrics: DaemonMetrics;
  /** The agents of the other tenants, by what their memory belongs to; absent: there are none. */
  tenantAgent?: (owner: MemoryOwner) => RunnableAgent | undefined;
  /**
   * Where episodes are kept that a manifest declares so; opened by the first use. Throws AppError `invalid_manifest` for a place
   * that can't be had.
   */
  episodesAt: (settings: EpisodicSettings) => () => Promise<Storage<EpisodeTables>>;
}

export interface AssembledRecall {
  /** What agents are built from. */
  parts: RecallParts;
  recall: DaemonRecall;
  workers: readonly Worker[];
  /** Removes all there is of an agent. */
  forgetAgent(owner: MemoryOwner): Promise<void>;
  close(): Promise<void>;
}

/** Semantic and episodic memory of the daemon's agents; nothing is opened before an agent that declares them runs. */
export function assembleRecall(
  { config, clock, newId, log }: Foundation,
  { storage, retrieval, catalog, metrics, tenantAgent, episodesAt }: RecallPorts,
): AssembledRecall {
  // What is recalled in other sessions may reach other people: also what only looks like a secret is not kept.
  const mask = (text: string) => redactText(config.knownSecrets.mask(text));
  const agentOf = (owner: MemoryOwner) =>
    owner.tenant === operatorTenant ? catalog().findEntry(owner.agent)?.agent : tenantAgent?.(owner);
  const semantic = createSemanticMemories({
    storage,
    held: new HeldVectors(clock),
    newId,
    clock,
    log,
    mask,
    failed: () => metrics.memoryFailed({ memory: "semantic", step: "keep" }),
    memoryOf: (owner) => agentOf(owner)?.recall?.semantic,
    usualStore: (backend) => retrieval.storeOf({ backend }),
  });
  const episodesMade = new WeakMap<EpisodicMemory, StoredEpisodes>();
  const episodesOf = (memory: EpisodicMemory) => episodesMade.get(memory);
  return {
    parts: {
      semanticOf: (settings) => semantic.create(semanticSetup(settings, retrieval)),
      episodicOf(settings) {
        const episodes = storedEpisodes({ open: episodesAt(settings), newId, mask }, settings.max_results);
        episodesMade.set(episodes, episodes);
        return episodes;
      },
    },
    recall: { semantic, episodesOf },
    workers: [semantic.writer.worker()],
    async forgetAgent(owner) {
      await semantic.forgetAgent(owner);
      const memory = agentOf(owner)?.recall?.episodic;
      if (memory !== undefined) await episodesOf(memory)?.forget(owner, {});
      await deleteEpisodes(storage, owner, {});
    },
    close: () => semantic.writer.close(),
  };
}
