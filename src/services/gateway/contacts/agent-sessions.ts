/** The platform's answer. `refused`: not with this key; `later`: a run of the session goes on, or the platform was not reached. */
export type ForgetAnswer = "forgotten" | "refused" | "later";

/** Has the platform forget sessions of agents. Rejects only if `signal` aborts. */
export interface AgentSessions {
  forget(session: { apiKey: string; sessionId: string }, signal: AbortSignal): Promise<ForgetAnswer>;
}
