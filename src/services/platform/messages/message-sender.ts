/** A message that a tenant, or an agent of it, wants sent. */
export interface OutgoingMessage {
  tenantId: string;
  channel: string;
  recipient: string;
  text?: string;
  conversationRef?: string;
}

/** The gateway, as far as the platform needs it. Throws AppError: what the gateway refused, or `gateway_unreachable` (503). */
export interface MessageSender {
  send(message: OutgoingMessage, signal: AbortSignal): Promise<{ message_id: string; status: string }>;
}
