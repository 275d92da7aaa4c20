import type { AgentKey, SessionKey } from "../../../../../engine/memory/conversation.ts";
import { checkedKey } from "../storable-turn.ts";

/*
 * Names are percent-encoded, so they can't contain the separators and different names never share a key. The braces keep all keys of an
 * agent in one slot.
 */

const base = ({ tenant, agent }: AgentKey) =>
  `argosy:conversations:{${encodeURIComponent(tenant)}:${encodeURIComponent(agent)}}`;

/** Sorted set of the agent's sessions by the time of their last turn. */
export const indexKey = (key: AgentKey): string => `${base(checkedKey(key))}:index`;

/** Keys of a session: the list of its turns, the hash of its fields, and the index that contains it. */
export function sessionKeys(key: SessionKey): [turns: string, session: string, index: string] {
  const own = base(checkedKey(key));
  const session = encodeURIComponent(key.sessionId);
  return [`${own}:turns:${session}`, `${own}:session:${session}`, `${own}:index`];
}

/** Key of the time at which a session was ended; `ended`: from `endedSession`. */
export const endKey = (key: AgentKey, ended: string): string => `${base(checkedKey(key))}:ended:${ended}`;
