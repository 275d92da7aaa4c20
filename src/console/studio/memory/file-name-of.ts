/** Returns the name of a file about an agent's memory: `support-desk-1`, without characters that file systems refuse. */
export const fileNameOf = (agent: string, session?: string): string =>
  [agent, session ?? "memory"].map((part) => part.replaceAll(/[^\w.-]+/g, "-").slice(0, 80)).join("-");
