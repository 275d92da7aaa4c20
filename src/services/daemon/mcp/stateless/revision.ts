/** Revisions without sessions that this server speaks, newest first. */
export const statelessRevisions: readonly string[] = ["2026-07-28"];

const prefix = "io.modelcontextprotocol/";

/** Keys of `_meta` that the protocol reserves. */
export const metaKeys = {
  revision: `${prefix}protocolVersion`,
  capabilities: `${prefix}clientCapabilities`,
  server: `${prefix}serverInfo`,
  subscription: `${prefix}subscriptionId`,
} as const;

/** Methods whose requests name their object in the header `Mcp-Name`, with the parameter that it repeats. */
export const namedBy: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"],
]);
