/** The revision without sessions that this client speaks. */
export const statelessRevision = "2026-07-28";

const prefix = "io.modelcontextprotocol/";

/** Keys of `_meta` that the protocol reserves. */
export const metaKeys = {
  revision: `${prefix}protocolVersion`,
  client: `${prefix}clientInfo`,
  capabilities: `${prefix}clientCapabilities`,
  subscription: `${prefix}subscriptionId`,
} as const;

export const tasksExtension = `${prefix}tasks`;

/** JSON-RPC errors that only servers of this and later revisions send. */
export const modernErrors = {
  headerMismatch: -32_020,
  capabilityMissing: -32_021,
  unsupportedRevision: -32_022,
};
