import type { DoctorCheck } from "../../../contracts/daemon/system.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { untilAborted } from "../../../kit/concurrency/until-aborted.ts";
import { startDeadline } from "../../../kit/deadline.ts";
import { isTrusted } from "../../../manifest/senders/sender.ts";
import type { Embedder } from "../../../retrieval/embedding/embedder.ts";
import type { Reranker } from "../../../retrieval/reranking/reranker.ts";
import type { RetrievalParts } from "../../../retrieval/retrieval-ports.ts";
import type { VectorStore } from "../../../retrieval/stores/vector-store.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import { semanticParts } from "../memory/semantic/semantic-setup.ts";
import type { PipelineEntry } from "../rag/pipelines/pipeline-library.ts";

export interface CheckedRetrieval {
  pipelines: readonly PipelineEntry[];
  catalog: AgentCatalog;
  retrieval: Pick<RetrievalParts, "storeOf" | "embedderOf">;
  clock: Clock;
  probeMs: number;
}

/** A server that pipelines or agents use, with the names of its users. */
interface Server {
  what: string;
  users: string[];
  probe(signal: AbortSignal): Promise<void>;
}

/**
 * The doctor's check of retrieval: pipelines with faults, and the servers behind pipelines and semantic memories: embedders, rerankers and
 * vector stores. Probes each server once, without spending tokens.
 */
export async function checkRetrieval(checked: CheckedRetrieval): Promise<Omit<DoctorCheck, "name">> {
  const { pipelines, clock, probeMs } = checked;
  const broken = pipelines.flatMap(({ name, file, fault, version }) =>
    fault === undefined ? [] : [{ name, file, message: fault.message, isOut: version === undefined }],
  );
  const servers = serversOf(checked);
  const patience = startDeadline(clock, probeMs, () => noAnswer(probeMs));
  const faults = await Promise.all(
    servers.map(({ probe }) =>
      untilAborted(patience.signal, () => probe(patience.signal)).then(
        () => undefined,
        (thrown: unknown) => toAppError(thrown),
      ),
    ),
  );
  patience.dispose();
  const silent = servers.flatMap(({ what, users }, at) => {
    const fault = faults[at];
    return fault === undefined ? [] : [{ what, users, fault }];
  });
  if (broken.length === 0 && silent.length === 0) {
    return { status: "healthy", message: healthyMessage(pipelines.length, servers.length) };
  }
  const working = pipelines.length - broken.filter(({ isOut }) => isOut).length;
  return {
    status: silent.length > 0 || (working === 0 && pipelines.length > 0) ? "failing" : "degraded",
    message: [
      ...broken.map(({ name, message }) => `Pipeline ${name}: ${message}`),
      ...silent.map(({ what, users, fault }) => `${what} of ${users.join(", ")}: ${saying(fault)}`),
    ].join(" "),
    mend: [
      ...(broken.length === 0
        ? []
        : [`argosy validate ${broken.flatMap(({ file }) => file ?? []).join(" ")}`.trimEnd()]),
      ...silent.map(
        ({ what, fault }) =>
          fault.details.hint ?? `start the server of the ${what.toLowerCase()}, or correct its address`,
      ),
    ].join("; "),
  };
}

function serversOf({ pipelines, catalog, retrieval }: CheckedRetrieval): Server[] {
  const servers = new Map<object, Server>();
  const add = (key: object, what: string, user: string, probe: Server["probe"] | undefined) => {
    if (probe === undefined) return;
    const known = servers.get(key);
    if (known === undefined) servers.set(key, { what, users: [user], probe });
    else if (!known.users.includes(user)) known.users.push(user);
  };
  const addParts = (
    user: string,
    {
      store,
      embedder,
      reranker,
    }: { store: VectorStore; embedder: Embedder; reranker?: Reranker | undefined },
  ) => {
    add(embedder, `Embedder ${embedder.id}`, user, embedder.probe?.bind(embedder));
    if (reranker !== undefined) add(reranker, "Reranker", user, reranker.probe?.bind(reranker));
    // LanceDB and memory are in this process, and a check would load LanceDB.
    const isServer = store.backend !== "lancedb" && store.backend !== "memory";
    if (isServer) add(store, `Vector store ${store.backend}`, user, () => store.check());
  };
  for (const { name, version } of pipelines) {
    if (version !== undefined) addParts(`pipeline ${name}`, version.pipeline);
  }
  for (const { name, agent } of catalog.list()) {
    const semantic = agent?.manifest.spec.memory.semantic;
    if (agent !== undefined && semantic !== undefined && isTrusted(agent.sender)) {
      addParts(`agent ${name}`, semanticParts(semantic, retrieval));
    }
  }
  return [...servers.values()];
}

function healthyMessage(pipelines: number, servers: number): string {
  const loaded =
    pipelines === 0 ? "There are no pipelines." : `${pipelines} of ${pipelines} pipelines are loaded.`;
  return servers === 0
    ? loaded
    : `${loaded} ${servers} of ${servers} embedding, reranking and vector servers respond.`;
}

function saying({ code, message }: AppError): string {
  return code === "internal" ? "it can't be reached." : message;
}

function noAnswer(probeMs: number): AppError {
  return new AppError(
    "upstream_timed_out",
    "probe_timed_out",
    `it did not respond within ${probeMs / 1000} seconds.`,
  );
}
