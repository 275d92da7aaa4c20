import type { AgentKey, ConversationArchive } from "../../../../engine/memory/conversation.ts";
import type { Clock } from "../../../../kit/clock.ts";
import type { Logger } from "../../../../kit/log.ts";
import { repeatedWorker, type Worker } from "../../../../kit/worker.ts";
import { ifAlone } from "../../../../storage/alone.ts";
import { acquireLease, releaseLease } from "../../../../storage/lease.ts";
import type { Storage } from "../../../../storage/storage.ts";
import { isStorageAway } from "../../../../storage/until-stored.ts";

/** An agent whose sessions expire. */
export interface ExpiringAgent {
  key: AgentKey;
  store: ConversationArchive;
  ttlMs: number;
}

export interface SessionSweeperParts {
  storage: Storage;
  /** Id of this process, new at each start. */
  owner: string;
  expiring: () => readonly ExpiringAgent[];
  /** Deletes what could not be deleted together with an agent. */
  catchUp: (owner: string, signal: AbortSignal) => Promise<void>;
  clock: Clock;
  log: Logger;
}

const everyMs = 60_000;
/** Small, so other writers don't wait long. */
const batchMax = 50;
const leaseMs = 300_000;

/** Deletes expired sessions, which are no longer shown, and data of deleted agents that could not be reached before. */
export function sessionSweeper(parts: SessionSweeperParts): Worker {
  const { clock, log } = parts;
  return repeatedWorker(
    "memory.sweep",
    everyMs,
    clock,
    async (signal) => {
      const failed = (thrown: unknown) => {
        if (isStorageAway(thrown)) throw thrown;
        log.warn("memory.sweep_failed", { err: thrown });
      };
      await ifAlone("memory.catch-up", parts, (held) => parts.catchUp(parts.owner, held), signal).catch(
        failed,
      );
      await sweepAlone(parts, signal).catch(failed);
    },
    { afterMs: everyMs },
  );
}

/** If several processes share the database, one of them sweeps. If it crashes, another takes over. */
async function sweepAlone(parts: SessionSweeperParts, signal: AbortSignal): Promise<void> {
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
  { clock, log }: SessionSweeperParts,
  agents: readonly ExpiringAgent[],
  signal: AbortSignal,
): Promise<void> {
  for (const agent of agents) {
    if (signal.aborted) return;
    try {
      const sessions = await sweepSessions(agent, clock, signal);
      if (sessions > 0) log.info("memory.swept", { agent: agent.key.agent, sessions });
    } catch (thrown) {
      if (isStorageAway(thrown)) throw thrown;
      // The agent's server may be down; other agents may use other servers.
      log.warn("memory.sweep_failed", { agent: agent.key.agent, err: thrown });
    }
  }
}

/** Deletes the agent's expired sessions in batches and returns their number. */
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
