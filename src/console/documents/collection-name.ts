/** Names that the daemon and the platform accept for a collection. */
export const collectionName = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
