import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { KnowledgeBases } from "../../../engine/tools/rag/agent-knowledge.ts";
import { UploadBudget } from "../../../http/bodies/upload.ts";
import type { Clock } from "../../../kit/clock.ts";
import { AdmissionGate } from "../../../kit/concurrency/admission-gate.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Logger } from "../../../kit/log.ts";
import type { NpmPackages } from "../../../kit/packages/npm-packages.ts";
import { learnSecretsIn } from "../../../kit/secrets/learn-secret.ts";
import type { SecretRegistry } from "../../../kit/secrets/secret-registry.ts";
import type { Worker } from "../../../kit/worker.ts";
import type { RuntimeFile } from "../../../manifest/files/runtime-file.ts";
import { ragPipelineKind } from "../../../manifest/rag-pipeline.ts";
import { isTrusted } from "../../../manifest/senders/sender.ts";
import { pipelineSenderProblems } from "../../../manifest/senders/sender-policy.ts";
import { createChunker } from "../../../retrieval/chunking/create-chunker.ts";
import { createDocumentReader } from "../../../retrieval/files/document-reader.ts";
import { createTextRecognition } from "../../../retrieval/files/scan/text-recognition.ts";
import { buildPipeline, defaultPipeline, type PipelineParts } from "../../../retrieval/rag/rag-pipeline.ts";
import { ragRegistries } from "../../../retrieval/rag/rag-registries.ts";
import type { RetrievalParts } from "../../../retrieval/retrieval-ports.ts";
import { HeldVectors } from "../../../retrieval/stores/held-vectors.ts";
import type { VectorStore } from "../../../retrieval/stores/vector-store.ts";
import type { Storage } from "../../../storage/storage.ts";
import { type ObservedVariables, providersRevision } from "../manifests/observed-variables.ts";
import { manifestWatcher } from "../manifests/watch-manifests.ts";
import type { DaemonMetrics } from "../metrics/daemon-metrics.ts";
import { operatorTenant } from "../operator-tenant.ts";
import type { UntrustedParts } from "../untrusted/untrusted-parts.ts";
import { untrustedSecrets } from "../untrusted/untrusted-secrets.ts";
import { type DaemonRag, turnsAt } from "./daemon-rag.ts";
import { RagJobs } from "./jobs/rag-jobs.ts";
import { daemonKnowledge } from "./knowledge-bases.ts";
import { PipelineLibrary } from "./pipelines/pipeline-library.ts";
import { createRagMetrics } from "./rag-metrics.ts";
import { isOwnersCollection } from "./registry/collection-store.ts";
import { forgetVolatile } from "./registry/leftover-store.ts";
import { ragSweeper } from "./registry/rag-sweeper.ts";
import type { RagTables } from "./registry/schema.ts";
import { sqlCollectionRegistry } from "./registry/sql-collection-registry.ts";
import type { DocumentsChanged } from "./registry/write-store.ts";

/** Usual number of concurrent ingests. More would take both cores from running requests. */
const ingestsAtOnce = 2;
const ingestsWaiting = 32;
/** Maximum size of all files in memory. */
const uploadBytesMax = 256 * 1024 * 1024;

/** Settings of the workspace whose documents are kept. */
export interface RagSettings {
  workspace: string;
  dataFolder: string;
  persistAgents: boolean;
  knownSecrets: SecretRegistry;
  runtime: RuntimeFile;
}

export interface DaemonRagPorts {
  storage: Storage<RagTables>;
  retrieval: RetrievalParts;
  /** Parts for pipelines sent by someone other than the machine's owner. */
  untrusted: Pick<UntrustedParts, "terms" | "retrieval">;
  variables: ObservedVariables;
  metrics: DaemonMetrics;
  /** Starts the process that reads files as documents. */
  readerCommand: string[];
  documentsChanged: DocumentsChanged;
  /** Gets the depths of the queue of ingests. */
  watchIngests: (depths: () => { inFlight: number; waiting: number }) => void;
  /** Optional parts, installed at their first use. */
  packages: NpmPackages;
  clock: Clock;
  newId: NewId;
  log: Logger;
}

export interface OpenedRag {
  rag: DaemonRag;
  /** Documents for agents. */
  knowledge: KnowledgeBases;
  workers: Worker[];
  close(): Promise<void>;
}

/** Opens the daemon's collections and pipelines; loads those in the workspace's `rag/`. */
export async function openRag(
  config: RagSettings,
  {
    storage,
    retrieval,
    untrusted,
    variables,
    metrics,
    readerCommand,
    watchIngests,
    documentsChanged,
    packages,
    clock,
    newId,
    log,
  }: DaemonRagPorts,
): Promise<OpenedRag> {
  const owner = newId();
  const parts = pipelineParts(config, retrieval, owner);
  const untrustedParts = pipelineParts(config, untrusted.retrieval, owner);
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
      vet: (manifest, sender) => pipelineSenderProblems(manifest, sender, untrusted.terms),
      build(manifest, sender) {
        // Embedders and rerankers are found at the providers' addresses.
        variables.read(providersRevision);
        const known = config.knownSecrets;
        learnSecretsIn(manifest.spec, isTrusted(sender) ? known : untrustedSecrets(known));
        if (isTrusted(sender)) return remember(buildPipeline(manifest, parts));
        return { ...remember(buildPipeline(manifest, untrustedParts)), isUntrusted: true };
      },
    },
    isOwners: (collection) => isOwnersCollection(storage, operatorTenant, collection),
    persist: config.persistAgents,
    clock,
    log,
  });
  await pipelines.look();
  await forgetVolatile(storage, `memory@${owner}`);

  const inFlightMax = config.runtime.spec.limits?.ingests ?? ingestsAtOnce;
  const gate = new AdmissionGate({ inFlightMax, waitingMax: ingestsWaiting });
  watchIngests(() => gate);
  const reader = createDocumentReader({
    childCommand: readerCommand,
    clock,
    log,
    readersMax: Math.min(4, Math.max(2, availableParallelism())),
    recognition: createTextRecognition(packages),
  });
  const jobs = new RagJobs({ storage, owner, gate, clock, newId, log });
  const rag: DaemonRag = {
    ports: {
      registry: sqlCollectionRegistry(storage, { owner, clock, changed: documentsChanged }),
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

export function pipelineParts(
  { runtime }: Pick<RagSettings, "runtime">,
  retrieval: RetrievalParts,
  processId: string,
): PipelineParts {
  const { storeOf, embedderOf, rerankerOf } = retrieval;
  const storeDefaults = runtime.spec.vectors ?? {};
  return { storeOf, embedderOf, rerankerOf, chunkerOf: createChunker, storeDefaults, processId };
}
