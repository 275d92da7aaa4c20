import type { AgentKey } from "../engine/memory/conversation.ts";
import type { RunPorts } from "../engine/run/run.ts";
import type { RunnableAgent } from "../engine/run/runnable-agent.ts";
import type { Worker } from "../kit/worker.ts";
import type { AgentCatalog } from "../services/daemon/agents/agent-catalog.ts";
import {
  type Forgetter,
  forgetConversations,
  forgetMemories,
} from "../services/daemon/memory/conversations/forget-conversations.ts";
import {
  type ExpiringAgent,
  sessionSweeper,
} from "../services/daemon/memory/conversations/session-sweeper.ts";
import { SummaryScheduler } from "../services/daemon/memory/conversations/summary-scheduler.ts";
import { operatorTenant } from "../services/daemon/operator-tenant.ts";
import type { DaemonTables } from "../services/daemon/tables.ts";
import type { Storage } from "../storage/storage.ts";
import type { Config } from "./config.ts";
import type { Foundation } from "./foundation.ts";
import { lookAtMemory, type UsedPlace } from "./look-at-memory.ts";
import { type MemoryPlace, placeOf } from "./memory-places.ts";
import { type ConversationStores, openConversationStores } from "./memory-stores.ts";

/** Parts of the daemon that conversations need. */
export interface MemoryPorts {
  storage: Storage<DaemonTables>;
  /** Aborts when the time for a graceful stop is over. */
  stopping: AbortSignal;
  catalog: () => AgentCatalog;
  /** Agents of the other tenants, with the keys of their memory. */
  tenantAgents: () => readonly { key: AgentKey; agent: RunnableAgent }[];
  runs: () => RunPorts;
}

export interface AssembledMemory {
  conversationsOf: ConversationStores["of"];
  conversationGrew: NonNullable<RunPorts["conversationGrew"]>;
  /** Functions that delete an agent's data; other kinds of memory add theirs. */
  forgetters: Forgetter[];
  forget(key: AgentKey): Promise<void>;
  /** The doctor's check. */
  look(): ReturnType<typeof lookAtMemory>;
  workers: readonly Worker[];
  /** Begins no further summary; resolves when running ones have ended. */
  retire(): Promise<void>;
  close(): Promise<void>;
}

/** Maximum time that the doctor waits for a place. */
const probeMs = 4_000;

/** Assembles the daemon's conversations, in all places that agents use. */
export async function assembleMemory(
  foundation: Foundation,
  { storage, stopping, catalog, tenantAgents, runs }: MemoryPorts,
): Promise<AssembledMemory> {
  const { config, clock, log, newId } = foundation;
  const stores = await openConversationStores(foundation, storage);
  const summaries = new SummaryScheduler(runs, stopping);
  const forgetters: Forgetter[] = [
    async (key) => void (await forgetConversations(stores.installation, key)),
    async (key) => {
      const inProcess = stores.inProcess();
      if (inProcess !== undefined) await forgetConversations(inProcess, key);
    },
    (key) => stores.locations.forget(key),
  ];
  return {
    conversationsOf: stores.of,
    conversationGrew: (agent, key) => summaries.schedule(agent, key),
    forgetters,
    forget: (key) => forgetMemories(forgetters, key),
    look: () =>
      lookAtMemory(usedPlaces(catalog(), stores, config), {
        clock,
        sharesDatabase: storage.dialect === "postgres",
        probeMs,
      }),
    workers: [
      sessionSweeper({
        storage,
        owner: newId(),
        expiring: () => expiringAgents([...operatorAgents(catalog()), ...tenantAgents()], stores),
        catchUp: () => stores.locations.catchUp(),
        clock,
        log,
      }),
    ],
    retire: () => summaries.retire(),
    close: () => stores.close(),
  };
}

/** Agents whose sessions expire. */
function expiringAgents(
  agents: ReturnType<MemoryPorts["tenantAgents"]>,
  stores: ConversationStores,
): ExpiringAgent[] {
  return agents.flatMap(({ key, agent }) => {
    const settings = agent.manifest.spec.memory.conversational;
    if (settings?.ttl_seconds === undefined) return [];
    return [{ key, store: stores.of(settings), ttlMs: settings.ttl_seconds * 1000 }];
  });
}

function operatorAgents(catalog: AgentCatalog): ReturnType<MemoryPorts["tenantAgents"]> {
  return catalog.list().flatMap(({ name, agent }) => {
    return agent === undefined ? [] : [{ key: { tenant: operatorTenant, agent: name }, agent }];
  });
}

function usedPlaces(catalog: AgentCatalog, stores: ConversationStores, config: Config): UsedPlace[] {
  const agents = catalog
    .list()
    .flatMap(({ name, agent }) =>
      agent === undefined
        ? []
        : [{ name, place: placeOf(agent.manifest.spec.memory.conversational, config) }],
    );
  return [...Map.groupBy(agents, ({ place }) => place.name).values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { place } = first;
    return [
      {
        name: place.name,
        isShared: isShared(place),
        store: stores.at(place),
        agents: group.map(({ name }) => name),
      },
    ];
  });
}

function isShared({ kind }: MemoryPlace): boolean {
  return kind !== "process" && kind !== "sqlite";
}
