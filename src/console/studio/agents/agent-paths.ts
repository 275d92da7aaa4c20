/** Addresses of an agent's pages. */
export const agentPaths = {
  list: "/studio/agents",
  of: (name: string) => `/studio/agents/${encodeURIComponent(name)}`,
  edit: (name: string) => `/studio/agents/${encodeURIComponent(name)}/edit`,
  history: (name: string) => `/studio/agents/${encodeURIComponent(name)}/history`,
  ask: (name: string) => `/studio/playground?agent=${encodeURIComponent(name)}`,
  traces: (name: string) => `/studio/traces?agent=${encodeURIComponent(name)}`,
  /** The editor of an agent, or of a new one, with a tool added that searches the collection. */
  withCollection: (collection: string, agent?: string) =>
    `/studio/agents/${agent === undefined ? "new" : `${encodeURIComponent(agent)}/edit`}?collection=${encodeURIComponent(collection)}`,
  fromGallery: (name: string) => `/studio/agents/new?from=${encodeURIComponent(name)}`,
};
