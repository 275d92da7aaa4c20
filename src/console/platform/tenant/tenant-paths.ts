/** Returns the addresses of a tenant's pages. */
export function tenantPaths(tenantId: string) {
  const root = `/platform/t/${encodeURIComponent(tenantId)}`;
  const agents = `${root}/agents`;
  const agent = (name: string) => `${agents}/${encodeURIComponent(name)}`;
  return {
    agents,
    newAgent: `${agents}/new`,
    /** A new agent that begins as a copy of one of the Studio. */
    copyOf: (agent: string) => `${agents}/new?studio=${encodeURIComponent(agent)}`,
    /** A new agent that searches a collection. */
    agentWith: (collection: string) => `${agents}/new?collection=${encodeURIComponent(collection)}`,
    agent,
    editAgent: (name: string) => `${agent(name)}/edit`,
    run: (name: string, session?: string) =>
      `${agent(name)}/run${session === undefined ? "" : `?session=${encodeURIComponent(session)}`}`,
    invocation: (name: string, id: string) => `${agent(name)}/invocations/${encodeURIComponent(id)}`,
    approvals: `${root}/approvals`,
    documents: `${root}/documents`,
    collection: (name: string) => `${root}/documents/${encodeURIComponent(name)}`,
    evals: `${root}/evals`,
    evalRun: (id: string) => `${root}/eval-runs/${encodeURIComponent(id)}`,
    members: `${root}/members`,
    usage: `${root}/usage`,
    statement: `${root}/statement`,
    invoices: `${root}/invoices`,
    notices: `${root}/notices`,
    connections: `${root}/connections`,
    keys: `${root}/keys`,
  };
}

export const tenantsPath = "/platform/tenants";

/**
 * Returns the same part of the console for another tenant. A list stays that list; a detail page becomes its list, because its item belongs
 * to one tenant.
 */
export function sameForTenant(location: string, tenantId: string): string {
  const part =
    /^\/platform\/t\/[^/]+\/(agents|approvals|documents|evals|members|usage|statement|invoices|notices|connections|keys)/.exec(
      location,
    )?.[1];
  const { agents } = tenantPaths(tenantId);
  return part === undefined ? agents : agents.replace(/agents$/, part);
}
