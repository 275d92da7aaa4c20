import type { SessionKey } from "./conversation.ts";

/** Key of an agent's memory over all its sessions. */
export type MemoryOwner = Omit<SessionKey, "sessionId">;

/** The session in which something was said and the user who said it, if known. A user's memories are not recalled for other users. */
export interface MemoryScope extends SessionKey {
  user: string | undefined;
}
