/** Makes ids that sort by creation time: UUID version 7 (RFC 9562). */
export type NewId = () => string;

export const newId: NewId = () => Bun.randomUUIDv7();
