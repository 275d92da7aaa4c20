/** A message to send for a tenant or one of its agents. */
export interface OutgoingMessage {
  tenantId: string;
  channel: string;
  recipient: string;
  text?: string;
  conversationRef?: string;
}

/** Interface to the gateway. Throws the gateway's refusal as AppError, or `gateway_unreachable` (503). */
export interface MessageSender {
  send(message: OutgoingMessage, signal: AbortSignal): Promise<{ message_id: string; status: string }>;
}
