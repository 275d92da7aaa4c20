import { randomBytes } from "node:crypto";
import type { Clock } from "../../../kit/clock.ts";
import { digest, type Grants } from "./grants.ts";

/** Session of a signed-in browser. */
export interface ConsoleSession {
  /** Hashes of the browser's secrets: the cookie's id, and the key that a page sends with it. */
  id: string;
  key: string;
  openedAtMs: number;
  usedAtMs: number;
  grants: Grants;
}

/** Secrets for the browser, sent once. */
export interface OpenedSession {
  session: ConsoleSession;
  id: string;
  key: string;
}

/** Stores sessions beyond the life of the process. */
export interface SessionKeeper {
  read(): ConsoleSession[];
  write(sessions: readonly ConsoleSession[]): void;
}

/** Sessions of the console, for all services of a process. */
export interface SessionBook {
  open(grants: Grants): Promise<OpenedSession>;
  /** Returns the valid session of a cookie's id and extends it. */
  find(id: string): Promise<ConsoleSession | undefined>;
  /** Returns true if the session is valid, without extending it. */
  isOpen(session: ConsoleSession): boolean;
  close(session: ConsoleSession): Promise<void>;
  /** Records that the grants of a session changed; `now` for changes that must not be lost in a crash. */
  changed(session: ConsoleSession, urgency?: "soon" | "now"): Promise<void>;
  /** Runs `change` while no other process of the same sessions does so for this one, on its latest grants. */
  alone<Result>(session: ConsoleSession, change: () => Promise<Result>): Promise<Result>;
  /** Writes pending changes. */
  flush(): void;
}

export const sessionSeconds = { idle: 12 * 3600, longest: 7 * 24 * 3600 };
const sessionsMax = 1000;

/** Delays until a sign-in or sign-out is written, and until the use of a session is written. */
const writeDelaysMs = { soon: 1000, used: 60_000 };

export function isOver({ openedAtMs, usedAtMs }: ConsoleSession, clock: Pick<Clock, "now">): boolean {
  const nowMs = clock.now().getTime();
  return (
    nowMs - usedAtMs >= sessionSeconds.idle * 1000 || nowMs - openedAtMs >= sessionSeconds.longest * 1000
  );
}

/** Returns true for grants of a visitor alone. */
export const isVisitor = (grants: Grants): boolean => Object.keys(grants).join() === "visitor";

/** Sessions of one process. */
export function openSessionBook(clock: Clock, keeper: SessionKeeper): SessionBook {
  // In order of last use, so the first one is dropped first.
  const sessions = new Map<string, ConsoleSession>();
  let cancelWrite: (() => void) | undefined;
  let writesAtMs = Number.POSITIVE_INFINITY;

  /** Drops the session unused for longest. Visitors go before signed-in people, because visitors may be numerous. */
  function dropOne(): void {
    const all = [...sessions.values()];
    const leaving = all.find(({ grants }) => isVisitor(grants)) ?? all[0];
    if (leaving !== undefined) sessions.delete(leaving.id);
  }

  function flush(): void {
    if (cancelWrite === undefined) return;
    cancelWrite();
    cancelWrite = undefined;
    writesAtMs = Number.POSITIVE_INFINITY;
    for (const session of sessions.values()) if (isOver(session, clock)) sessions.delete(session.id);
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
    if (!isOver(session, clock)) sessions.set(session.id, session);
  }

  return {
    async open(grants) {
      const id = randomBytes(32).toString("base64url");
      const key = randomBytes(32).toString("base64url");
      const nowMs = clock.now().getTime();
      const session = { id: digest(id), key: digest(key), openedAtMs: nowMs, usedAtMs: nowMs, grants };
      if (sessions.size >= sessionsMax) dropOne();
      sessions.set(session.id, session);
      writeWithin(writeDelaysMs.soon);
      return { session, id, key };
    },
    async find(id) {
      const session = sessions.get(digest(id));
      if (session === undefined) return undefined;
      sessions.delete(session.id);
      if (isOver(session, clock)) return undefined;
      sessions.set(session.id, session);
      session.usedAtMs = clock.now().getTime();
      writeWithin(writeDelaysMs.used);
      return session;
    },
    isOpen: (session) => sessions.has(session.id) && !isOver(session, clock),
    async close(session) {
      if (sessions.delete(session.id)) writeWithin(writeDelaysMs.soon);
    },
    async changed(_session, urgency = "soon") {
      writeWithin(writeDelaysMs.soon);
      if (urgency === "now") flush();
    },
    alone: (_session, change) => change(),
    flush,
  };
}
