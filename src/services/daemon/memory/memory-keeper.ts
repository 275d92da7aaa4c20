import type { AgentKey } from "../../../engine/memory/conversation.ts";
import type { ConversationArchive } from "../../../engine/memory/conversation-archive.ts";
import { type Clock, sleep } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Worker } from "../../../kit/worker.ts";
import { acquireLease, releaseLease } from "../../../storage/lease.ts";
import type { Storage } from "../../../storage/storage.ts";

/** An agent whose sessions end by themselves. */
export interface ExpiringAgent {
  key: AgentKey;
  store: ConversationArchive;
  ttlMs: number;
}

export interface MemoryKeeperParts {
  storage: Storage;
  /** Unique to this process's life. */
  owner: string;
  expiring: () => readonly ExpiringAgent[];
  /** Forgets what could not be forgotten when an agent was deleted. */
  catchUp: () => Promise<void>;
  clock: Clock;
  log: Logger;
}

const everyMs = 60_000;
/** Few enough that no other writer waits long. */
const batchMax = 50;
const leaseMs = 300_000;

/** Removes sessions that are over, which nobody is shown any more, and what of deleted agents could not be reached before. */
export function memoryKeeper(parts: MemoryKeeperParts): Worker {
  const { clock, log } = parts;
  return {
    name: "memory.sweep",
    async run(signal) {
      for (;;) {
        await sleep(clock, everyMs, signal).catch(() => undefined);
        if (signal.aborted) return;
        await parts.catchUp().catch((thrown) => log.warn("memory.sweep_failed", { err: thrown }));
        await sweepAlone(parts, signal).catch((thrown) => log.warn("memory.sweep_failed", { err: thrown }));
      }
    },
  };
}

/** Where several processes share the database one of them sweeps; a process that dies meanwhile is replaced. */
async function sweepAlone(parts: MemoryKeeperParts, signal: AbortSignal): Promise<void> {
  const { storage, owner } = parts;
  const agents = parts.expiring();
  if (agents.length === 0) return;
  if (storage.dialect === "sqlite") return sweepAll(parts, agents, signal);
  const lease = await acquireLease(storage, { name: "memory.sweep", owner, ttlMs: leaseMs });
  if (lease === undefined) return;
  try {
    await sweepAll(parts, agents, signal);
  } finally {
    await releaseLease(storage, lease);
  }
}

async function sweepAll(
  { clock, log }: MemoryKeeperParts,
  agents: readonly ExpiringAgent[],
  signal: AbortSignal,
): Promise<void> {
  for (const agent of agents) {
    if (signal.aborted) return;
    try {
      const sessions = await sweepSessions(agent, clock, signal);
      if (sessions > 0) log.info("memory.swept", { agent: agent.key.agent, sessions });
    } catch (thrown) {
      // Its server is down, perhaps: the others have their own.
      log.warn("memory.sweep_failed", { agent: agent.key.agent, err: thrown });
    }
  }
}

/** Forgets the agent's sessions that are over, a few at a time; how many. */
export async function sweepSessions(
  { key, store, ttlMs }: ExpiringAgent,
  clock: Clock,
  signal: AbortSignal,
): Promise<number> {
  const before = new Date(clock.now().getTime() - ttlMs);
  let sessions = 0;
  let gone: string[];
  do {
    gone = await store.forgetBefore(key, before, batchMax);
    sessions += gone.length;
  } while (gone.length === batchMax && !signal.aborted);
  return sessions;
}
