/** First page of the cloud's area. */
export const cloudPath = "/cloud";
/** Page of the person's own account. */
export const cloudAccountPath = "/cloud/account";
export const cloudSignInPath = "/cloud/sign-in";

/** Addresses of an org's pages. */
export function orgPaths(slug: string) {
  const within = (path: string) => `/cloud/o/${encodeURIComponent(slug)}${path}`;
  const agent = (name: string) => within(`/agents/${encodeURIComponent(name)}`);
  return {
    agents: within("/agents"),
    newAgent: within("/new-agent"),
    agent,
    editAgent: (name: string) => `${agent(name)}/edit`,
    evals: within("/evals"),
    evalRun: (id: string) => within(`/eval-runs/${encodeURIComponent(id)}`),
    keys: within("/keys"),
    providers: within("/providers"),
    members: within("/members"),
    usage: within("/usage"),
  };
}

/** Returns the same page of another org. A page of one agent becomes the list of agents. */
export function sameForOrg(location: string, slug: string): string {
  const page =
    /^\/cloud\/o\/[^/]+\/(agents|evals|keys|providers|members|audit|usage)/.exec(location)?.[1] ?? "agents";
  return orgPaths(slug).agents.replace(/agents$/, page);
}
