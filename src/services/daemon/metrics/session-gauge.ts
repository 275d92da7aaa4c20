import type { Gauge } from "../../../kit/metrics.ts";

/** Counts the distinct sessions with a running request, by agent. */
export class SessionGauge {
  readonly #gauge: Gauge<"agent_name">;
  readonly #runs = new Map<string, Map<string, number>>();

  constructor(gauge: Gauge<"agent_name">) {
    this.#gauge = gauge;
  }

  enter(agent: string, sessionId: string): void {
    const sessions = this.#runs.get(agent) ?? new Map<string, number>();
    this.#runs.set(agent, sessions);
    sessions.set(sessionId, (sessions.get(sessionId) ?? 0) + 1);
    this.#gauge.of(agent).set(sessions.size);
  }

  leave(agent: string, sessionId: string): void {
    const sessions = this.#runs.get(agent);
    const runs = sessions?.get(sessionId);
    if (sessions === undefined || runs === undefined) return;
    if (runs > 1) sessions.set(sessionId, runs - 1);
    else sessions.delete(sessionId);
    this.#gauge.of(agent).set(sessions.size);
  }
}
