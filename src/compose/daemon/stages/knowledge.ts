import type { AgentKey } from "../../../engine/memory/conversation.ts";
import type { AgentCatalog } from "../../../services/daemon/agents/agent-catalog.ts";
import { forgetMemories } from "../../../services/daemon/memory/conversations/forget-conversations.ts";
import type { DaemonMetrics } from "../../../services/daemon/metrics/daemon-metrics.ts";
import { collectionsElsewhere } from "../../../services/daemon/rag/collections/collections.ts";
import type { DaemonTables } from "../../../services/daemon/tables.ts";
import {
  openUntrustedParts,
  type UntrustedParts,
} from "../../../services/daemon/untrusted/untrusted-parts.ts";
import type { Storage } from "../../../storage/storage.ts";
import { childCommand } from "../../child-command.ts";
import type { Foundation } from "../../foundation.ts";
import type { StorageParts } from "../../service-storage.ts";
import { createEpisodePlaces } from "../memory/episode-places.ts";
import { type AssembledMemory, assembleMemory } from "../memory/memory.ts";
import type { MemoryOwners } from "../memory/memory-owners.ts";
import { type AssembledRecall, assembleRecall } from "../memory/recall.ts";
import { type AssembledRag, assembleRag } from "../rag.ts";
import { openVectors, type VectorParts } from "../vectors.ts";
import type { DaemonModels } from "./models.ts";

/** Conversations, memories and documents, which agents are built with. */
export interface DaemonKnowledge {
  memory: AssembledMemory;
  recall: AssembledRecall;
  rag: AssembledRag;
  vectors: VectorParts;
  /** Parts for manifests sent by someone other than the machine's owner. */
  sent: UntrustedParts;
  /** Deletes all memory of an agent. */
  forget(key: AgentKey): Promise<void>;
  /** Returns messages for collections and memories whose vectors are in another place. */
  vectorsElsewhere(): Promise<string[]>;
  close(): Promise<void>;
}

export interface KnowledgePorts {
  storage: Storage<DaemonTables>;
  models: DaemonModels;
  metrics: DaemonMetrics;
  catalog: AgentCatalog;
  owners: MemoryOwners;
  /** The person or paying party behind a tenant. */
  ownerOf: (tenant: string) => string;
}

/** Third stage: stores of all that agents know. Opens those in other places at their first use. */
export async function openKnowledge(
  foundation: StorageParts & Pick<Foundation, "newId" | "sealer">,
  { storage, models, metrics, catalog, owners, ownerOf }: KnowledgePorts,
): Promise<DaemonKnowledge> {
  const { sources, onnx, variables } = models;
  const memory = await assembleMemory(foundation, { storage, catalog, owners });
  const vectors = openVectors(foundation, { onnx, sources, ownerOf });
  const sent = openUntrustedParts(foundation.config, {
    retrieval: vectors,
    sources,
    onnx,
    sqlCommand: childCommand("sql-child"),
    clock: foundation.clock,
    log: foundation.log,
    random: foundation.random,
  });
  const rag = await assembleRag(foundation, { storage, retrieval: vectors, sent, variables, metrics });
  const episodes = createEpisodePlaces(foundation, storage);
  const recall = assembleRecall(foundation, {
    storage,
    retrieval: vectors,
    owners,
    metrics,
    episodesAt: episodes.at,
  });
  const forgetters = [...memory.forgetters, recall.forgetAgent];
  return {
    memory,
    recall,
    rag,
    vectors,
    sent,
    forget: (key) => forgetMemories(forgetters, key),
    vectorsElsewhere: async () => [
      ...(await collectionsElsewhere(rag.rag)),
      ...(await recall.recall.semantic.elsewhere()),
    ],
    async close() {
      await recall.close();
      await episodes.close();
      await rag.close();
      await sent.close();
      await memory.close();
      await vectors.close();
    },
  };
}
