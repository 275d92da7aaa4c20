import type {
  AgentKey,
  ConversationArchive,
  ConversationSummary,
  NumberedTurn,
  SessionKey,
  SessionPlace,
  SessionSummary,
  SummaryStore,
} from "../../../../engine/memory/conversation.ts";
import { checkedKey, checkedTurn, storableSummary } from "./storable-turn.ts";

/** Maximum number of turns kept for a session; the same as the longest window. */
export const turnsKeptMax = 10_000;

/** Maximum size of all conversations together, in characters. The session that was idle longest is deleted first. */
const charsMaxDefault = 64 * 1024 * 1024;

/** Ends that are kept for runs in progress. */
const endsMax = 10_000;

interface Session {
  key: SessionKey;
  turns: NumberedTurn[];
  lastSeq: number;
  chars: number;
  summary: ConversationSummary | undefined;
  claimedUntil: Date | undefined;
}

/** Conversations in this process, which are lost when it ends. */
export function inProcessConversations(charsMax = charsMaxDefault): ConversationArchive {
  /** Sessions, idle longest first. */
  const sessions = new Map<string, Session>();
  let chars = 0;
  /** Ends of sessions and agents, oldest first. */
  const ends = new Map<string, Date>();

  const find = (key: SessionKey) => sessions.get(idOf(checkedKey(key)));
  const remove = (session: Session | undefined): number => {
    if (session === undefined || !sessions.delete(idOf(session.key))) return 0;
    chars -= session.chars;
    return session.turns.length;
  };
  const ofAgent = ({ tenant, agent }: AgentKey) =>
    [...sessions.values()].filter(({ key }) => key.tenant === tenant && key.agent === agent);

  return {
    async recent(key, limit) {
      const turns = find(key)?.turns ?? [];
      return turns.slice(Math.max(0, turns.length - limit)).map(({ seq: _, ...turn }) => turn);
    },

    async append(key, turns, ttlMs) {
      const [first, ...rest] = turns.map(checkedTurn);
      if (first === undefined) return;
      const known = find(key);
      const isOver =
        ttlMs !== undefined && known !== undefined && lastAt(known) <= first.at.getTime() - ttlMs;
      if (isOver) remove(known);
      const session: Session = (isOver ? undefined : known) ?? {
        key: { ...key },
        turns: [],
        lastSeq: 0,
        chars: 0,
        summary: undefined,
        claimedUntil: undefined,
      };
      remove(session);
      for (const turn of [first, ...rest]) session.turns.push({ ...turn, seq: ++session.lastSeq });
      session.turns.splice(0, Math.max(0, session.turns.length - turnsKeptMax));
      session.chars = session.turns.reduce((sum, { content }) => sum + content.length, 0);
      sessions.set(idOf(key), session);
      chars += session.chars;
      for (const quietest of sessions.values()) {
        if (chars <= charsMax || quietest === session) break;
        remove(quietest);
      }
    },

    clear: async (key) => remove(find(key)),

    async endedAt(key) {
      const instants = [ends.get(idOf(key)), ends.get(idOf({ ...key, sessionId: "" }))];
      return instants.reduce((last, at) => (last === undefined || (at && at > last) ? at : last));
    },

    async end(key, at) {
      const id = idOf({ sessionId: "", ...key });
      ends.delete(id);
      ends.set(id, at);
      const [oldest] = ends.keys();
      if (ends.size > endsMax && oldest !== undefined) ends.delete(oldest);
    },

    async page(key, { limit, before = Number.POSITIVE_INFINITY }) {
      const turns = (find(key)?.turns ?? []).filter(({ seq }) => seq < before);
      return turns.slice(Math.max(0, turns.length - limit));
    },

    async sessions(key, { limit, after, since }) {
      return ofAgent(key)
        .map(summaryOf)
        .filter((one) => since === undefined || one.lastAt > since)
        .filter((one) => after === undefined || newestFirst(one, after) > 0)
        .sort(newestFirst)
        .slice(0, limit);
    },

    async sessionIds(key, { limit, cursor }) {
      const ids = ofAgent(key)
        .map((session) => session.key.sessionId)
        .filter((id) => cursor === undefined || byText(id, cursor) > 0)
        .sort(byText)
        .slice(0, limit);
      return { ids, next: ids.length < limit ? undefined : ids.at(-1) };
    },

    async forgetBefore(key, before, limit) {
      const old = ofAgent(key)
        .filter((session) => lastAt(session) <= before.getTime())
        .sort((a, b) => lastAt(a) - lastAt(b))
        .slice(0, limit);
      for (const session of old) remove(session);
      return old.map((session) => session.key.sessionId);
    },

    summaries: summariesIn(find),
  };
}

function summariesIn(find: (key: SessionKey) => Session | undefined): SummaryStore {
  /** Numbers the sessions, so a later one with the same key is different. */
  const lives = new WeakMap<Session, string>();
  let count = 0;
  const lifeOf = (session: Session) => {
    const life = lives.get(session) ?? String(++count);
    lives.set(session, life);
    return life;
  };
  return {
    find: async (key) => find(key)?.summary,
    async progress(key) {
      const session = find(key);
      if (session === undefined) return undefined;
      const { upTo, tokenCount } = session.summary ?? { upTo: 0, tokenCount: 0 };
      return { lastSeq: session.lastSeq, upTo, tokenCount };
    },
    turnsAfter: async (key, after, limit) =>
      (find(key)?.turns ?? []).filter(({ seq }) => seq > after).slice(0, limit),
    async claim(key, now, until) {
      const session = find(key);
      if (session === undefined || (session.claimedUntil && session.claimedUntil > now)) return undefined;
      session.claimedUntil = until;
      const { lastSeq, summary } = session;
      return { life: lifeOf(session), until, lastSeq, upTo: summary?.upTo ?? 0, text: summary?.text ?? "" };
    },
    async save(key, claim, summary) {
      const session = find(key);
      if (session === undefined || lifeOf(session) !== claim.life) return false;
      if ((session.summary?.upTo ?? 0) !== claim.upTo) return false;
      session.summary = storableSummary(summary);
      Object.assign(claim, { upTo: summary.upTo, text: session.summary.text });
      return true;
    },
    async release(key, { life, until }) {
      const session = find(key);
      if (session && lifeOf(session) === life && session.claimedUntil === until)
        session.claimedUntil = undefined;
    },
  };
}

function summaryOf(session: Session): SessionSummary {
  const { turns, key, summary } = session;
  return {
    sessionId: key.sessionId,
    turns: turns.length,
    tokens: turns.reduce((sum, { tokenCount }) => sum + tokenCount, 0),
    firstAt: turns[0]?.at ?? new Date(0),
    lastAt: new Date(lastAt(session)),
    isSummarized: summary !== undefined,
  };
}

function lastAt({ turns }: Session): number {
  return turns.at(-1)?.at.getTime() ?? 0;
}

function newestFirst(a: SessionPlace, b: SessionPlace): number {
  return b.lastAt.getTime() - a.lastAt.getTime() || byText(b.sessionId, a.sessionId);
}

/** Compares by bytes, as databases do. */
function byText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function idOf({ tenant, agent, sessionId }: SessionKey): string {
  return JSON.stringify([tenant, agent, sessionId]);
}
