import type { AgentKey, SessionKey } from "../../../engine/memory/conversation.ts";
import { forgetMemories } from "../../../services/daemon/memory/conversations/forget-conversations.ts";
import {
  type OpenedConversations,
  openConversations,
} from "../../../services/daemon/memory/open-conversations.ts";
import { type OpenedRecall, openRecall } from "../../../services/daemon/memory/open-recall.ts";
import type { OpenStorage } from "../../../services/daemon/memory/places/conversation-stores.ts";
import { createEpisodePlaces } from "../../../services/daemon/memory/places/episode-places.ts";
import { collectionsElsewhere } from "../../../services/daemon/rag/collections/collections.ts";
import { type OpenedRag, openRag } from "../../../services/daemon/rag/open-rag.ts";
import {
  openUntrustedParts,
  type UntrustedParts,
} from "../../../services/daemon/untrusted/untrusted-parts.ts";
import { childCommand } from "../../child-command.ts";
import type { Foundation } from "../../foundation.ts";
import { openServiceStorage, type StorageParts } from "../../service-storage.ts";
import { daemonSchema } from "../daemon-schema.ts";
import { openPackages } from "../packages.ts";
import type { Stage } from "../stage.ts";
import { openVectors, type VectorParts } from "../vectors.ts";
import type { DaemonModels } from "./models.ts";
import type { DaemonState } from "./state.ts";
import type { Telemetry } from "./telemetry.ts";

/** Conversations, memories and documents, which agents are built with. */
export interface DaemonKnowledge extends Stage {
  memory: OpenedConversations;
  recall: OpenedRecall;
  rag: OpenedRag;
  vectors: VectorParts;
  /** Parts for manifests sent by someone other than the machine's owner. */
  untrusted: UntrustedParts;
  /** Deletes all memory of an agent. */
  forget(key: AgentKey): Promise<void>;
  /** Deletes what an agent remembers of a session. */
  forgetSession(key: SessionKey): Promise<void>;
  /** Returns messages for collections and memories whose vectors are in another place. */
  vectorsElsewhere(): Promise<string[]>;
}

export interface KnowledgePorts {
  state: DaemonState;
  models: DaemonModels;
  telemetry: Pick<Telemetry, "metrics">;
}

/** Stores of all that agents know. Opens those in other places at their first use. */
export async function openKnowledge(
  foundation: StorageParts & Pick<Foundation, "newId" | "sealer">,
  { state, models, telemetry: { metrics } }: KnowledgePorts,
): Promise<DaemonKnowledge> {
  const { config, sealer, clock, newId, random, log } = foundation;
  const { storage, catalog, memoryOwners: owners, tenantOwners } = state;
  const { sources, onnx, variables } = models;
  const surroundings = { clock, newId, log };
  const openStorage: OpenStorage = (place) => openServiceStorage(foundation, daemonSchema, place);
  const memory = await openConversations(
    { config, openStorage, sealer, ...surroundings },
    { storage, catalog, owners },
  );
  const personOf = (tenant: string) => tenantOwners.of(tenant);
  const vectors = openVectors(foundation, { onnx, sources, ownerOf: personOf });
  const untrusted = openUntrustedParts(config, {
    retrieval: vectors,
    sources,
    onnx,
    sqlCommand: childCommand("sql-child"),
    clock,
    log,
    random,
  });
  const rag = await openRag(config, {
    storage,
    retrieval: vectors,
    untrusted,
    variables,
    metrics,
    readerCommand: childCommand("document-child"),
    documentsChanged: state.fireSources.documentsChanged,
    watchIngests: (depths) => state.pools.watch("ingests", depths),
    packages: openPackages(foundation),
    ...surroundings,
  });
  const episodes = createEpisodePlaces(config, openStorage, storage);
  const recall = openRecall(
    { knownSecrets: config.knownSecrets, ...surroundings },
    { storage, retrieval: vectors, owners, metrics, personOf, episodesAt: episodes.at },
  );
  const forgetters = [...memory.forgetters, recall.forgetAgent];
  return {
    memory,
    recall,
    rag,
    vectors,
    untrusted,
    forget: (key) => forgetMemories(forgetters, key),
    async forgetSession({ sessionId, ...owner }) {
      await memory.forgetSession({ ...owner, sessionId });
      await recall.forgetSession(owner, sessionId);
    },
    vectorsElsewhere: async () => [
      ...(await collectionsElsewhere(rag.rag)),
      ...(await recall.recall.semantic.elsewhere()),
    ],
    workers: [...memory.workers, ...rag.workers, ...recall.workers, vectors.worker()],
    async close() {
      await recall.close();
      await episodes.close();
      await rag.close();
      await untrusted.close();
      await memory.close();
      await vectors.close();
    },
  };
}
