import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { KnowledgeBases } from "../../engine/tools/rag/agent-knowledge.ts";
import { UploadBudget } from "../../http/bodies/upload.ts";
import { AppError, type Problem } from "../../kit/app-error.ts";
import { systemClock } from "../../kit/clock.ts";
import { AdmissionGate } from "../../kit/concurrency/admission-gate.ts";
import { newId } from "../../kit/id.ts";
import { silentLogger } from "../../kit/log.ts";
import { learnSecretsIn } from "../../kit/secrets/learn-secret.ts";
import type { Worker } from "../../kit/worker.ts";
import {
  type RagPipelineManifest,
  type RagRegistries,
  ragPipelineKind,
} from "../../manifest/rag-pipeline.ts";
import { isTrusted, type Sender } from "../../manifest/senders/sender.ts";
import { pipelineSenderProblems } from "../../manifest/senders/sender-policy.ts";
import { chunkerNames, createChunker } from "../../retrieval/chunking/create-chunker.ts";
import { embedderNames } from "../../retrieval/embedding/create-embedders.ts";
import { createDocumentReader } from "../../retrieval/files/document-reader.ts";
import { buildPipeline, defaultPipeline, type PipelineParts } from "../../retrieval/rag/rag-pipeline.ts";
import { rerankerNames } from "../../retrieval/reranking/create-rerankers.ts";
import type { RetrievalParts } from "../../retrieval/retrieval-ports.ts";
import { HeldVectors } from "../../retrieval/stores/held-vectors.ts";
import type { VectorStore } from "../../retrieval/stores/vector-store.ts";
import { vectorStoreNames } from "../../retrieval/stores/vector-stores.ts";
import type { ObservedVariables } from "../../services/daemon/manifests/observed-variables.ts";
import { manifestWatcher } from "../../services/daemon/manifests/watch-manifests.ts";
import type { DaemonMetrics } from "../../services/daemon/metrics/daemon-metrics.ts";
import { operatorTenant } from "../../services/daemon/operator-tenant.ts";
import { type DaemonRag, turnsAt } from "../../services/daemon/rag/daemon-rag.ts";
import { RagJobs } from "../../services/daemon/rag/jobs/rag-jobs.ts";
import { daemonKnowledge } from "../../services/daemon/rag/knowledge-bases.ts";
import { PipelineLibrary } from "../../services/daemon/rag/pipelines/pipeline-library.ts";
import { createRagMetrics } from "../../services/daemon/rag/rag-metrics.ts";
import { isOwnersCollection } from "../../services/daemon/rag/registry/collection-store.ts";
import { forgetVolatile } from "../../services/daemon/rag/registry/leftover-store.ts";
import { ragSweeper } from "../../services/daemon/rag/registry/rag-sweeper.ts";
import type { RagTables } from "../../services/daemon/rag/registry/schema.ts";
import { sqlCollectionRegistry } from "../../services/daemon/rag/registry/sql-collection-registry.ts";
import { senderTerms } from "../../services/daemon/untrusted/sender-terms.ts";
import type { UntrustedParts } from "../../services/daemon/untrusted/untrusted-parts.ts";
import { untrustedSecrets } from "../../services/daemon/untrusted/untrusted-secrets.ts";
import type { Storage } from "../../storage/storage.ts";
import { childCommand } from "../child-command.ts";
import type { Foundation } from "../foundation.ts";
import type { Config } from "../settings/config.ts";
import { discoverModels } from "./model-discovery.ts";
import { openOnnx } from "./onnx.ts";
import { openVectors } from "./vectors.ts";

/** Maximum number of concurrent ingests. More would take both cores from running requests. */
const ingestsAtOnce = 2;
const ingestsWaiting = 32;
/** Maximum size of all files in memory. */
const uploadBytesMax = 256 * 1024 * 1024;

export interface RagWorld {
  storage: Storage<RagTables>;
  retrieval: RetrievalParts;
  /** Parts for pipelines sent by someone other than the machine's owner. */
  sent: Pick<UntrustedParts, "terms" | "retrieval">;
  variables: ObservedVariables;
  metrics: DaemonMetrics;
}

export interface AssembledRag {
  rag: DaemonRag;
  /** Documents for agents. */
  knowledge: KnowledgeBases;
  workers: Worker[];
  close(): Promise<void>;
}

/** Assembles the daemon's collections and pipelines; loads those in the workspace's `rag/`. */
export async function assembleRag(
  { config, clock, newId, log }: Pick<Foundation, "config" | "clock" | "newId" | "log">,
  { storage, retrieval, sent, variables, metrics }: RagWorld,
): Promise<AssembledRag> {
  const owner = newId();
  const parts = pipelineParts(config, retrieval, owner);
  const untrustedParts = pipelineParts(config, sent.retrieval, owner);
  // Stores stay known after the settings that named them are gone, because they may still contain data to remove.
  const stores = new Map<string, VectorStore>();
  const remember = <Pipeline extends { storeId: string; store: VectorStore }>(pipeline: Pipeline) => {
    stores.set(pipeline.storeId, pipeline.store);
    return pipeline;
  };
  remember(defaultPipeline("", parts));
  const pipelines = new PipelineLibrary({
    loader: {
      folder: join(config.workspace, "rag"),
      workspace: config.workspace,
      kind: ragPipelineKind(ragRegistries),
      variables,
      vet: (manifest, sender) => pipelineSenderProblems(manifest, sender, sent.terms),
      build(manifest, sender) {
        const known = config.knownSecrets;
        learnSecretsIn(manifest.spec, isTrusted(sender) ? known : untrustedSecrets(known));
        if (isTrusted(sender)) return remember(buildPipeline(manifest, parts));
        return { ...remember(buildPipeline(manifest, untrustedParts)), isStrangers: true };
      },
    },
    isOwners: (collection) => isOwnersCollection(storage, operatorTenant, collection),
    persist: config.persistAgents,
    clock,
    log,
  });
  await pipelines.look();
  await forgetVolatile(storage, `memory@${owner}`);

  const gate = new AdmissionGate({ inFlightMax: ingestsAtOnce, waitingMax: ingestsWaiting });
  const reader = createDocumentReader({
    childCommand: childCommand("document-child"),
    clock,
    log,
    readersMax: Math.min(4, Math.max(2, availableParallelism())),
  });
  const jobs = new RagJobs({ storage, owner, gate, clock, newId, log });
  const rag: DaemonRag = {
    ports: {
      registry: sqlCollectionRegistry(storage, { owner, clock }),
      held: new HeldVectors(clock),
      newId,
      clock,
      log,
    },
    parts,
    storeById: (id) => stores.get(id),
    pipelines,
    jobs,
    gate,
    turn: turnsAt(gate),
    uploads: new UploadBudget(uploadBytesMax),
    reader,
    metrics: createRagMetrics(metrics.registry, metrics.rest),
  };
  return {
    rag,
    knowledge: daemonKnowledge(rag),
    workers: [
      manifestWatcher({ what: "pipeline", look: () => rag.pipelines.look() }, clock, log),
      ragSweeper(rag, { storage, clock, owner, log }),
    ],
    async close() {
      await jobs.close();
      reader.close();
    },
  };
}

/** Names that a pipeline may use in this executable. */
export const ragRegistries: RagRegistries = {
  chunkers: chunkerNames,
  embedders: embedderNames,
  vectorStores: vectorStoreNames,
  rerankers: rerankerNames,
};

/** Returns a function that finds a pipeline's problems by building it. Stores and calls nothing. */
export async function pipelineBuildingProblems(
  config: Config,
): Promise<(manifest: RagPipelineManifest, sender: Sender) => Problem[]> {
  const world = { config, clock: systemClock, log: silentLogger, newId, random: Math.random };
  const onnx = openOnnx(config.dataFolder, silentLogger, systemClock);
  const { refusal: _, ...sources } = await discoverModels(world);
  const retrieval = openVectors(world, { onnx, sources });
  const terms = senderTerms(config, sources);
  const parts = pipelineParts(config, retrieval, "");
  return (manifest, sender) => {
    try {
      const refused = pipelineSenderProblems(manifest, sender, terms);
      if (refused.length === 0) buildPipeline(manifest, parts);
      return refused;
    } catch (thrown) {
      if (thrown instanceof AppError && thrown.details.problems !== undefined) return thrown.details.problems;
      throw thrown;
    }
  };
}

function pipelineParts({ runtime }: Config, retrieval: RetrievalParts, processId: string): PipelineParts {
  const { storeOf, embedderOf, rerankerOf } = retrieval;
  const storeDefaults = runtime.spec.vectors ?? {};
  return { storeOf, embedderOf, rerankerOf, chunkerOf: createChunker, storeDefaults, processId };
}
