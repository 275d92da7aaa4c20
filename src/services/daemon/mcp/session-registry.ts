import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { McpSession } from "./open-session.ts";

export interface SessionLimits {
  sessionsMax: number;
  /** Time after which an idle session expires, in ms. A session with an open stream is not idle. */
  idleMs: number;
}

interface Held {
  session: McpSession;
  owner: string;
  /** Number of open requests and streams. */
  uses: number;
  stopTimer: () => void;
}

/** Open sessions, up to a limit. Each answers only requests of its owner. */
export class SessionRegistry {
  readonly #clock: Clock;
  readonly #limits: SessionLimits;
  /** Sessions, least recently used first. */
  readonly #held = new Map<string, Held>();

  constructor(clock: Clock, limits: SessionLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  get size(): number {
    return this.#held.size;
  }

  /** If the limit is reached, closes the session that was idle longest. Throws `too_busy` if all are in use. */
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

  /** Returns the session. Throws `session_not_found` if there is none or it belongs to another owner. */
  get(id: string | null, owner: string): McpSession {
    if (id === null) {
      throw new AppError("invalid", "session_required", "This request needs the header Mcp-Session-Id.", {
        details: { hint: "The answer to `initialize` contains it." },
      });
    }
    const held = this.#held.get(id);
    if (held?.owner === owner) return held.session;
    throw new AppError(
      "not_found",
      "session_not_found",
      "There is no such MCP session, or it has ended or expired.",
      { details: { hint: "Send `initialize` without Mcp-Session-Id to start a new one." } },
    );
  }

  /** Keeps the session from expiring until the returned function is called. */
  use(session: McpSession): () => void {
    const held = this.#held.get(session.id);
    if (held === undefined) return () => {};
    held.uses++;
    held.stopTimer();
    // Moves the session to the end of the order.
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
