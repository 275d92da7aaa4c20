import type { RunnableAgent } from "../../../../engine/agents/runnable-agent.ts";
import type { SessionKey } from "../../../../engine/memory/conversation.ts";
import { summarizeSession, summaryMsMax } from "../../../../engine/run/memory/summarize-session.ts";
import type { RunPorts } from "../../../../engine/run/run.ts";
import { AppError, toAppError } from "../../../../kit/app-error.ts";
import { OwnerPlaces } from "../../../../kit/concurrency/owner-places.ts";
import { startDeadline } from "../../../../kit/deadline.ts";

/** Number of summaries made at once, and of sessions that may wait. A session without room is considered again after its next run. */
const atOnceMax = 4;
const waitingMax = 1_000;

interface Job {
  agent: RunnableAgent;
  key: SessionKey;
  ports: () => RunPorts;
  owner: string;
  /** Gives the room to wait back. */
  leaveLine: () => void;
}

export interface SummarySchedulerOptions {
  /** Aborts when the time for a graceful stop is over. */
  stopping: AbortSignal;
  /** The person or paying party behind a tenant. */
  ownerOf: (tenant: string) => string;
}

/**
 * Summarizes sessions after their runs, one summary per session at a time. Owners take turns, for the places and for room to wait. A failure is retried after the session's next run. No answer
 * waits for a summary or fails because of it.
 */
export class SummaryScheduler {
  readonly #ports: () => RunPorts;
  readonly #stopping: AbortSignal;
  readonly #waiting = new Map<string, Job>();
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #ownerOf: (tenant: string) => string;
  readonly #places = new OwnerPlaces(atOnceMax);
  readonly #lines = new OwnerPlaces(waitingMax);
  #isRetired = false;

  constructor(ports: () => RunPorts, { stopping, ownerOf }: SummarySchedulerOptions) {
    this.#ports = ports;
    this.#stopping = stopping;
    this.#ownerOf = ownerOf;
  }

  /** Queues a session that has new turns. `ports` are those of a tenant's runs; the operator's by default. */
  schedule(agent: RunnableAgent, key: SessionKey, ports = this.#ports): void {
    const id = JSON.stringify([key.tenant, key.agent, key.sessionId]);
    const owner = this.#ownerOf(key.tenant);
    const known = this.#waiting.get(id);
    if (this.#isRetired || (known === undefined && !this.#lines.mayTake(owner))) return;
    const leaveLine = known?.leaveLine ?? this.#lines.take(owner);
    this.#waiting.set(id, { agent, key, ports, owner, leaveLine });
    this.#begin();
  }

  /** Begins no further summary; resolves when running ones have ended. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    this.#waiting.clear();
    await Promise.all(this.#underWay.values());
  }

  #begin(): void {
    for (;;) {
      const ready = [...this.#waiting].filter(([id]) => !this.#underWay.has(id));
      const next = this.#places.next(ready, ([, { owner }]) => owner);
      if (next === undefined) return;
      const [id, job] = next;
      this.#waiting.delete(id);
      job.leaveLine();
      const leave = this.#places.take(job.owner);
      const done = this.#summarize(job).finally(() => {
        this.#underWay.delete(id);
        leave();
        this.#begin();
      });
      this.#underWay.set(id, done);
    }
  }

  async #summarize({ agent, key, ports: portsOf }: Job): Promise<void> {
    const ports = portsOf();
    const deadline = startDeadline(ports.clock, summaryMsMax, tooSlow, [this.#stopping]);
    try {
      await summarizeSession(ports, agent, key, deadline.signal);
    } catch (thrown) {
      const { code } = toAppError(thrown);
      if (this.#stopping.aborted) return;
      ports.observer.memoryFailed({ memory: "summary", step: "keep" });
      ports.log.warn("memory.failed", {
        agent: key.agent,
        memory: "summary",
        step: "keep",
        code,
        err: thrown,
      });
    } finally {
      deadline.dispose();
    }
  }
}

function tooSlow(): AppError {
  const seconds = summaryMsMax / 1000;
  return new AppError("timed_out", "summary_timeout", `The summary took longer than ${seconds} seconds.`);
}
