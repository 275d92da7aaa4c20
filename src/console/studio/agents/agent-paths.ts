/** Addresses of an agent's pages. */
export const agentPaths = {
  list: "/studio/agents",
  of: (name: string) => `/studio/agents/${encodeURIComponent(name)}`,
  edit: (name: string) => `/studio/agents/${encodeURIComponent(name)}/edit`,
  history: (name: string) => `/studio/agents/${encodeURIComponent(name)}/history`,
  ask: (name: string) => `/studio/playground?agent=${encodeURIComponent(name)}`,
  traces: (name: string) => `/studio/traces?agent=${encodeURIComponent(name)}`,
  fromCollection: (name: string) => `/studio/agents/new?collection=${encodeURIComponent(name)}`,
  fromGallery: (name: string) => `/studio/agents/new?from=${encodeURIComponent(name)}`,
};
