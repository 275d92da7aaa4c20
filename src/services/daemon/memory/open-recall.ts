import type { EpisodicSettings, RecallParts } from "../../../engine/agents/recall-sources.ts";
import type { EpisodicMemory, MemoryOwner } from "../../../engine/memory/long-term-memory.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Logger } from "../../../kit/log.ts";
import { redactText } from "../../../kit/secrets/redact-text.ts";
import type { SecretRegistry } from "../../../kit/secrets/secret-registry.ts";
import type { Worker } from "../../../kit/worker.ts";
import type { RetrievalParts } from "../../../retrieval/retrieval-ports.ts";
import { HeldVectors } from "../../../retrieval/stores/held-vectors.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { DaemonMetrics } from "../metrics/daemon-metrics.ts";
import type { DaemonRecall } from "./daemon-recall.ts";
import type { EpisodeTables } from "./episodes/schema.ts";
import { deleteEpisodes } from "./episodes/store.ts";
import { type StoredEpisodes, storedEpisodes } from "./episodes/stored-episodes.ts";
import type { MemoryOwners } from "./memory-owners.ts";
import type { SemanticTables } from "./semantic/schema.ts";
import { createSemanticMemories } from "./semantic/semantic-memories.ts";
import { semanticSetup } from "./semantic/semantic-setup.ts";

export interface RecallPorts {
  storage: Storage<SemanticTables & EpisodeTables>;
  retrieval: RetrievalParts;
  owners: Pick<MemoryOwners, "find">;
  metrics: DaemonMetrics;
  /** The person behind a tenant. */
  personOf: (tenant: string) => string;
  /**
   * Returns the store of episodes that a manifest selects, opened at its first use. Throws AppError `invalid_manifest` for an unavailable
   * place.
   */
  episodesAt: (settings: EpisodicSettings) => () => Promise<Storage<EpisodeTables>>;
}

export interface OpenedRecall {
  /** Parts for building agents. */
  parts: RecallParts;
  recall: DaemonRecall;
  workers: readonly Worker[];
  /** Deletes the texts and episodes of one session. Throws `memory_unavailable` if the agent has texts and isn't loaded. */
  forgetSession(owner: MemoryOwner, sessionId: string): Promise<void>;
  /** Deletes all data of an agent. */
  forgetAgent(owner: MemoryOwner): Promise<void>;
  close(): Promise<void>;
}

export interface RecallSurroundings {
  knownSecrets: Pick<SecretRegistry, "mask">;
  clock: Clock;
  newId: NewId;
  log: Logger;
}

/** Opens semantic and episodic memory for the daemon's agents. Opens nothing before an agent with such memory runs. */
export function openRecall(
  { knownSecrets, clock, newId, log }: RecallSurroundings,
  { storage, retrieval, owners, metrics, personOf, episodesAt }: RecallPorts,
): OpenedRecall {
  // Memories may be recalled for other people, so text that only looks like a secret is masked too.
  const mask = (text: string) => redactText(knownSecrets.mask(text));
  const semantic = createSemanticMemories({
    storage,
    held: new HeldVectors(clock),
    newId,
    clock,
    log,
    mask,
    personOf,
    failed: () => metrics.memoryFailed({ memory: "semantic", step: "keep" }),
    memoryOf: (owner) => owners.find(owner)?.recall?.semantic,
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
    workers: [semantic.writer.worker(), semantic.forgetter()],
    async forgetSession(owner, sessionId) {
      await semantic.forgetSession(owner, sessionId);
      const memory = owners.find(owner)?.recall?.episodic;
      if (memory !== undefined) await episodesOf(memory)?.forget(owner, { sessionId });
      await deleteEpisodes(storage, owner, { sessionId });
    },
    async forgetAgent(owner) {
      await semantic.forgetAgent(owner);
      const memory = owners.find(owner)?.recall?.episodic;
      if (memory !== undefined) await episodesOf(memory)?.forget(owner, {});
      await deleteEpisodes(storage, owner, {});
    },
    close: () => semantic.writer.close(),
  };
}
