import type { SessionKey } from "./conversation.ts";

/** Whose memory, over all its sessions. */
export type MemoryOwner = Omit<SessionKey, "sessionId">;

/** Where something is said, and by whom where the run tells: what one user said is recalled for no other. */
export interface MemoryScope extends SessionKey {
  user: string | undefined;
}
