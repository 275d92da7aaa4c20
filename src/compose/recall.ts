import type { EpisodicMemory } from "../engine/memory/episodic-memory.ts";
import type { MemoryOwner } from "../engine/memory/memory-scope.ts";
import type { EpisodicSettings, RecallParts } from "../engine/run/build-recall.ts";
import type { RunnableAgent } from "../engine/run/runnable-agent.ts";
import { redactText } from "../kit/secrets/redact-text.ts";
import type { Worker } from "../kit/worker.ts";
import type { RetrievalParts } from "../retrieval/retrieval-ports.ts";
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
  /** Returns another tenant's agent by the owner of its memory. If absent, there are none. */
  tenantAgent?: (owner: MemoryOwner) => RunnableAgent | undefined;
  /**
   * Returns the store of episodes that a manifest selects, opened at its first use. Throws AppError `invalid_manifest` for an unavailable
   * place.
   */
  episodesAt: (settings: EpisodicSettings) => () => Promise<Storage<EpisodeTables>>;
}

export interface AssembledRecall {
  /** Parts for building agents. */
  parts: RecallParts;
  recall: DaemonRecall;
  workers: readonly Worker[];
  /** Deletes all data of an agent. */
  forgetAgent(owner: MemoryOwner): Promise<void>;
  close(): Promise<void>;
}

/** Assembles semantic and episodic memory for the daemon's agents. Opens nothing before an agent with such memory runs. */
export function assembleRecall(
  { config, clock, newId, log }: Foundation,
  { storage, retrieval, catalog, metrics, tenantAgent, episodesAt }: RecallPorts,
): AssembledRecall {
  // Memories may be recalled for other people, so text that only looks like a secret is masked too.
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
