import type { SessionKey } from "../../../engine/memory/conversation.ts";
import type { Worker } from "../../../kit/worker.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import type { DaemonTables } from "../tables.ts";
import { checkMemory, type UsedPlace } from "./check-memory.ts";
import { type Forgetter, forgetConversations } from "./conversations/forget-conversations.ts";
import type { ExpiringAgent } from "./conversations/session-sweeper.ts";
import { sessionSweeper } from "./conversations/session-sweeper.ts";
import type { MemoryOwners } from "./memory-owners.ts";
import type { PlaceSettings } from "./places/conversation-places.ts";
import { type MemoryPlace, placeOf } from "./places/conversation-places.ts";
import type { StoreParts } from "./places/conversation-stores.ts";
import { type ConversationStores, openConversationStores } from "./places/conversation-stores.ts";

/** Parts of the daemon that conversations need. */
export interface MemoryPorts {
  storage: Storage<DaemonTables>;
  catalog: AgentCatalog;
  owners: Pick<MemoryOwners, "list">;
}

export interface OpenedConversations {
  conversationsOf: ConversationStores["of"];
  /** Functions that delete an agent's conversations. */
  forgetters: readonly Forgetter[];
  /** Deletes a session's conversation wherever its agent has it. */
  forgetSession(key: SessionKey): Promise<void>;
  /** The doctor's check. */
  look(): ReturnType<typeof checkMemory>;
  workers: readonly Worker[];
  close(): Promise<void>;
}

/** Maximum time that the doctor waits for a place. */
const probeMs = 4_000;

/** Opens the daemon's conversations, in all places that agents use. */
export async function openConversations(
  parts: StoreParts,
  { storage, catalog, owners }: MemoryPorts,
): Promise<OpenedConversations> {
  const { config, clock, log, newId } = parts;
  const stores = await openConversationStores(parts, storage);
  const forgetters: Forgetter[] = [
    async (key) => void (await forgetConversations(stores.installation, key, clock.now())),
    async (key) => {
      const inProcess = stores.inProcess();
      if (inProcess !== undefined) await forgetConversations(inProcess, key, clock.now());
    },
    (key) => stores.locations.forget(key),
  ];
  return {
    conversationsOf: stores.of,
    forgetters,
    async forgetSession(key) {
      for (const store of [stores.installation, stores.inProcess()]) {
        await store?.end(key, clock.now());
        await store?.clear(key);
      }
      await stores.locations.forgetSession(key);
    },
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

function usedPlaces(catalog: AgentCatalog, stores: ConversationStores, config: PlaceSettings): UsedPlace[] {
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
