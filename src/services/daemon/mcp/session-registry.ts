import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { McpSession } from "./open-session.ts";

export interface SessionLimits {
  sessionsMax: number;
  /** How long a session lasts that nobody uses; one with an open stream is in use. */
  idleMs: number;
}

interface Held {
  session: McpSession;
  owner: string;
  /** Requests and streams that are open. */
  uses: number;
  stopTimer: () => void;
}

/** The open sessions, a bounded number of them; each answers only to whoever opened it. */
export class SessionRegistry {
  readonly #clock: Clock;
  readonly #limits: SessionLimits;
  /** The one that was used longest ago first. */
  readonly #held = new Map<string, Held>();

  constructor(clock: Clock, limits: SessionLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  get size(): number {
    return this.#held.size;
  }

  get sessions(): McpSession[] {
    return [...this.#held.values()].map(({ session }) => session);
  }

  /** Ends the session that was idle longest when there are as many as may be; `too_busy` when all are in use. */
  async makeRoom(): Promise<void> {
    if (this.#held.size < this.#limits.sessionsMax) return;
    const idle = this.#held.values().find(({ uses }) => uses === 0);
    if (idle !== undefined) return idle.session.close();
    throw new AppError("unavailable", "too_busy", `${this.#limits.sessionsMax} MCP sessions are in use.`, {
      details: { retryAfterSeconds: 10 },
    });
  }

  add(session: McpSession, owner: string): void {
    const held = { session, owner, uses: 0, stopTimer: () => {} };
    this.#held.set(session.id, held);
    this.#rest(held);
  }

  remove(id: string): void {
    this.#held.get(id)?.stopTimer();
    this.#held.delete(id);
  }

  /** The session; `session_not_found` when there is none, or another's. */
  get(id: string | null, owner: string): McpSession {
    if (id === null) {
      throw new AppError("invalid", "session_required", "This request needs the header Mcp-Session-Id.", {
        details: { hint: "The answer to `initialize` gives it." },
      });
    }
    const held = this.#held.get(id);
    if (held?.owner === owner) return held.session;
    throw new AppError(
      "not_found",
      "session_not_found",
      "There is no such MCP session, or it has ended or expired.",
      { details: { hint: "Send `initialize` without Mcp-Session-Id to begin a new one." } },
    );
  }

  /** Keeps the session from expiring until the function that comes back is called. */
  use(session: McpSession): () => void {
    const held = this.#held.get(session.id);
    if (held === undefined) return () => {};
    held.uses++;
    held.stopTimer();
    // To the end of the order.
    this.#held.delete(session.id);
    this.#held.set(session.id, held);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--held.uses === 0 && this.#held.get(session.id) === held) this.#rest(held);
    };
  }

  #rest(held: Held): void {
    held.stopTimer = this.#clock.timer(this.#limits.idleMs, () => void held.session.close());
  }
}
