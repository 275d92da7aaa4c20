import { randomBytes } from "node:crypto";
import type { Clock } from "../../../kit/clock.ts";
import { digest, type Grants } from "./grants.ts";

/** One browser that is signed in. */
export interface ConsoleSession {
  /** Hashes of what the browser has: the cookie's id, and the key that a page sends beside it. */
  id: string;
  key: string;
  openedAtMs: number;
  usedAtMs: number;
  grants: Grants;
}

/** What goes to the browser, once. */
export interface OpenedSession {
  session: ConsoleSession;
  id: string;
  key: string;
}

/** Where sessions outlive the process. */
export interface SessionKeeper {
  read(): ConsoleSession[];
  write(sessions: readonly ConsoleSession[]): void;
}

/** The sessions of this process's console, for all of its services. */
export interface SessionBook {
  open(grants: Grants): OpenedSession;
  /** The session of a cookie's id in force; using it puts its end off. */
  find(id: string): ConsoleSession | undefined;
  close(session: ConsoleSession): void;
  /** Something in a session changed; `now` for what must not be lost with the process. */
  changed(urgency?: "soon" | "now"): void;
  /** Writes what is not yet written. */
  flush(): void;
}

export const sessionSeconds = { idle: 12 * 3600, longest: 7 * 24 * 3600 };
const sessionsMax = 1000;

/** What signing in or out may take until it is written, and what the mere use of a session. */
const writeDelaysMs = { soon: 1000, used: 60_000 };

export function openSessionBook(clock: Clock, keeper: SessionKeeper): SessionBook {
  // In the order of their last use, so that the one to go is the first.
  const sessions = new Map<string, ConsoleSession>();
  let cancelWrite: (() => void) | undefined;
  let writesAtMs = Number.POSITIVE_INFINITY;

  const isOver = ({ openedAtMs, usedAtMs }: ConsoleSession): boolean => {
    const nowMs = clock.now().getTime();
    return (
      nowMs - usedAtMs >= sessionSeconds.idle * 1000 || nowMs - openedAtMs >= sessionSeconds.longest * 1000
    );
  };

  /** The longest unused; a visitor before anybody who signed in, since anyone who may come in can be many. */
  function dropOne(): void {
    const all = [...sessions.values()];
    const leaving = all.find(({ grants }) => Object.keys(grants).join() === "visitor") ?? all[0];
    if (leaving !== undefined) sessions.delete(leaving.id);
  }

  function flush(): void {
    if (cancelWrite === undefined) return;
    cancelWrite();
    cancelWrite = undefined;
    writesAtMs = Number.POSITIVE_INFINITY;
    for (const session of sessions.values()) if (isOver(session)) sessions.delete(session.id);
    keeper.write([...sessions.values()]);
  }

  function writeWithin(ms: number): void {
    const atMs = clock.monotonicMs() + ms;
    if (atMs >= writesAtMs) return;
    cancelWrite?.();
    writesAtMs = atMs;
    cancelWrite = clock.timer(ms, flush);
  }

  for (const session of keeper.read().sort((a, b) => a.usedAtMs - b.usedAtMs)) {
    if (!isOver(session)) sessions.set(session.id, session);
  }

  return {
    open(grants) {
      const id = randomBytes(32).toString("base64url");
      const key = randomBytes(32).toString("base64url");
      const nowMs = clock.now().getTime();
      const session = { id: digest(id), key: digest(key), openedAtMs: nowMs, usedAtMs: nowMs, grants };
      if (sessions.size >= sessionsMax) dropOne();
      sessions.set(session.id, session);
      writeWithin(writeDelaysMs.soon);
      return { session, id, key };
    },
    find(id) {
      const session = sessions.get(digest(id));
      if (session === undefined) return undefined;
      sessions.delete(session.id);
      if (isOver(session)) return undefined;
      sessions.set(session.id, session);
      session.usedAtMs = clock.now().getTime();
      writeWithin(writeDelaysMs.used);
      return session;
    },
    close(session) {
      if (sessions.delete(session.id)) writeWithin(writeDelaysMs.soon);
    },
    changed(urgency = "soon") {
      writeWithin(writeDelaysMs.soon);
      if (urgency === "now") flush();
    },
    flush,
  };
}
