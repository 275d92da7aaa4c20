import type { Worker } from "../../../kit/worker.ts";
import type { AgentCatalog } from "../../../services/daemon/agents/agent-catalog.ts";
import { checkMemory, type UsedPlace } from "../../../services/daemon/doctor/check-memory.ts";
import {
  type Forgetter,
  forgetConversations,
} from "../../../services/daemon/memory/conversations/forget-conversations.ts";
import type { ExpiringAgent } from "../../../services/daemon/memory/conversations/session-sweeper.ts";
import { sessionSweeper } from "../../../services/daemon/memory/conversations/session-sweeper.ts";
import type { DaemonTables } from "../../../services/daemon/tables.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { Foundation } from "../../foundation.ts";
import type { StorageParts } from "../../service-storage.ts";
import type { Config } from "../../settings/config.ts";
import { type MemoryPlace, placeOf } from "./conversation-places.ts";
import { type ConversationStores, openConversationStores } from "./conversation-stores.ts";
import type { MemoryOwners } from "./memory-owners.ts";

/** Parts of the daemon that conversations need. */
export interface MemoryPorts {
  storage: Storage<DaemonTables>;
  catalog: AgentCatalog;
  owners: Pick<MemoryOwners, "list">;
}

export interface AssembledMemory {
  conversationsOf: ConversationStores["of"];
  /** Functions that delete an agent's conversations. */
  forgetters: readonly Forgetter[];
  /** The doctor's check. */
  look(): ReturnType<typeof checkMemory>;
  workers: readonly Worker[];
  close(): Promise<void>;
}

/** Maximum time that the doctor waits for a place. */
const probeMs = 4_000;

/** Assembles the daemon's conversations, in all places that agents use. */
export async function assembleMemory(
  foundation: StorageParts & Pick<Foundation, "newId" | "sealer">,
  { storage, catalog, owners }: MemoryPorts,
): Promise<AssembledMemory> {
  const { config, clock, log, newId } = foundation;
  const stores = await openConversationStores(foundation, storage);
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
    forgetters,
    look: () =>
      checkMemory(usedPlaces(catalog, stores, config), {
        clock,
        sharesDatabase: storage.dialect === "postgres",
        probeMs,
      }),
    workers: [
      sessionSweeper({
        storage,
        owner: newId(),
        expiring: () => expiringAgents(owners, stores),
        catchUp: (owner, signal) => stores.locations.catchUp(owner, signal),
        clock,
        log,
      }),
    ],
    close: () => stores.close(),
  };
}

/** Agents whose sessions expire. */
function expiringAgents(owners: MemoryPorts["owners"], stores: ConversationStores): ExpiringAgent[] {
  return owners.list().flatMap(({ key, agent }) => {
    const settings = agent.manifest.spec.memory.conversational;
    if (settings?.ttl_seconds === undefined) return [];
    return [{ key, store: stores.of(settings), ttlMs: settings.ttl_seconds * 1000 }];
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
