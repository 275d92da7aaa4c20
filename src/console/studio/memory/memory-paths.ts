/** Addresses of the memory pages. */
export const memoryPaths = {
  agents: "/studio/memory",
  of: (agent: string) => `/studio/memory?agent=${encodeURIComponent(agent)}`,
  session: (agent: string, session: string) =>
    `/studio/memory/${encodeURIComponent(agent)}/${encodeURIComponent(session)}`,
};

/** Query keys, so that a deletion refetches all affected data. */
export const memoryKeys = {
  of: (agent: string) => ["daemon", "memory", agent] as const,
  sessions: (agent: string) => ["daemon", "memory", agent, "sessions"] as const,
  history: (agent: string, session: string) => ["daemon", "memory", agent, "history", session] as const,
  context: (agent: string, session: string) => ["daemon", "memory", agent, "context", session] as const,
  texts: (agent: string) => ["daemon", "memory", agent, "texts"] as const,
  episodes: (agent: string) => ["daemon", "memory", agent, "episodes"] as const,
};
