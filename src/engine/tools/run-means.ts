/** A tenant's credential for a service, for use by tools. It never appears in a prompt, a trace, a log or a result. */
export interface ToolCredential {
  /** The address that it is for. Connections of earlier versions may have none; they are not used. */
  baseUrl?: string;
  material: Readonly<Record<string, unknown>>;
}

/** A message that an agent wants to send. */
export interface RunMessage {
  channel: string;
  recipient: string;
  text: string;
  conversationRef?: string;
}

/** Resources of a tenant that a run may use. They are functions, so that serializing a run never writes them. */
export interface RunMeans {
  /** Returns the tenant's connection with that name. */
  connection(name: string): ToolCredential | undefined;
  /** Sends a message; absent: messages can't be sent here. Throws AppError with the reason if it is refused. */
  send?: (message: RunMessage, signal: AbortSignal) => Promise<{ message_id: string; status: string }>;
}
