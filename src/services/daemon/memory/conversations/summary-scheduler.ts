import type { RunnableAgent } from "../../../../engine/agents/runnable-agent.ts";
import type { SessionKey } from "../../../../engine/memory/conversation.ts";
import { summarizeSession, summaryMsMax } from "../../../../engine/run/memory/summarize-session.ts";
import type { RunPorts } from "../../../../engine/run/run.ts";
import { AppError, toAppError } from "../../../../kit/app-error.ts";
import { startDeadline } from "../../../../kit/deadline.ts";
import { operatorTenant } from "../../operator-tenant.ts";

/**
 * Number of summaries made at once, of them for one tenant, and of sessions that may wait. A session without room is considered again after
 * its next run.
 */
const atOnceMax = 4;
const tenantAtOnceMax = 2;
const waitingMax = 1_000;

interface Job {
  agent: RunnableAgent;
  key: SessionKey;
  ports: () => RunPorts;
}

/**
 * Summarizes sessions after their runs, one summary per session at a time. A failure is retried after the session's next run. No answer
 * waits for a summary or fails because of it.
 */
export class SummaryScheduler {
  readonly #ports: () => RunPorts;
  readonly #stopping: AbortSignal;
  readonly #waiting = new Map<string, Job>();
  readonly #underWay = new Map<string, Promise<void>>();
  /** Number of summaries in progress by tenant. */
  readonly #working = new Map<string, number>();
  #isRetired = false;

  constructor(ports: () => RunPorts, stopping: AbortSignal) {
    this.#ports = ports;
    this.#stopping = stopping;
  }

  /** Queues a session that has new turns. `ports` are those of a tenant's runs; the operator's by default. */
  schedule(agent: RunnableAgent, key: SessionKey, ports = this.#ports): void {
    const id = JSON.stringify([key.tenant, key.agent, key.sessionId]);
    if (this.#isRetired || (this.#waiting.size >= waitingMax && !this.#waiting.has(id))) return;
    this.#waiting.set(id, { agent, key, ports });
    this.#begin();
  }

  /** Begins no further summary; resolves when running ones have ended. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    this.#waiting.clear();
    await Promise.all(this.#underWay.values());
  }

  #begin(): void {
    for (const [id, job] of this.#waiting) {
      if (this.#underWay.size >= atOnceMax) return;
      if (this.#underWay.has(id)) continue;
      const { tenant } = job.key;
      const ofTenant = this.#working.get(tenant) ?? 0;
      // A tenant with a slow provider leaves places for the others.
      if (tenant !== operatorTenant && ofTenant >= tenantAtOnceMax) continue;
      this.#waiting.delete(id);
      this.#working.set(tenant, ofTenant + 1);
      const done = this.#summarize(job).finally(() => {
        this.#underWay.delete(id);
        this.#left(tenant);
        this.#begin();
      });
      this.#underWay.set(id, done);
    }
  }

  #left(tenant: string): void {
    const others = (this.#working.get(tenant) ?? 1) - 1;
    if (others > 0) this.#working.set(tenant, others);
    else this.#working.delete(tenant);
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
