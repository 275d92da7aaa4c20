import type { AgentKey, SessionKey } from "../../../../engine/memory/conversation.ts";
import { checkedKey } from "../storable-turn.ts";

/*
 * Names are percent-encoded, so that no part of a key can hold what stands between the parts: different names never share a
 * key. The braces keep all keys of an agent in one slot.
 */

const base = ({ tenant, agent }: AgentKey) =>
  `argosy:conversations:{${encodeURIComponent(tenant)}:${encodeURIComponent(agent)}}`;

/** The sorted set of the agent's sessions by the time of their last turn. */
export const indexKey = (key: AgentKey): string => `${base(checkedKey(key))}:index`;

/** The list of a session's turns, the hash of what is known of it, and the index it stands in. */
export function sessionKeys(key: SessionKey): [turns: string, session: string, index: string] {
  const own = base(checkedKey(key));
  const session = encodeURIComponent(key.sessionId);
  return [`${own}:turns:${session}`, `${own}:session:${session}`, `${own}:index`];
}
