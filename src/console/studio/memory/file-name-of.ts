/** How a file about an agent's memory is called: `support-desk-1`, without what file systems don't take. */
export const fileNameOf = (agent: string, session?: string): string =>
  [agent, session ?? "memory"].map((part) => part.replaceAll(/[^\w.-]+/g, "-").slice(0, 80)).join("-");
