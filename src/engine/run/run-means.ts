/** A tenant's credential for a service, as a tool uses it: never in a prompt, a trace, a log or a result. */
export interface Connection {
  /** Where it may be used; absent: wherever the tenant's manifest says. */
  baseUrl?: string;
  material: Readonly<Record<string, unknown>>;
}

/** A message that an agent wants sent. */
export interface RunMessage {
  channel: string;
  recipient: string;
  text: string;
  conversationRef?: string;
}

/** What a run may use in the name of its tenant. Functions, so that nothing of it is written where a run is written down. */
export interface RunMeans {
  /** The tenant's connection of that name. */
  connection(name: string): Connection | undefined;
  /** Hands a message over to be sent; absent: no messages can be sent here. Throws AppError, what refused it. */
  send?: (message: RunMessage, signal: AbortSignal) => Promise<{ message_id: string; status: string }>;
}
