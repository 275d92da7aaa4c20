import type { ServiceAddress } from "../../../contracts/service-call.ts";
import { callService } from "../../../contracts/service-call.ts";
import type { SendRunMessage } from "./runtime-deps.ts";

/** Returns the function through which runs send messages by the platform; it returns undefined while there is no platform. */
export function runMessages(platform: () => ServiceAddress | undefined): () => SendRunMessage | undefined {
  return () => {
    const address = platform();
    if (address === undefined) return undefined;
    return async (token, { channel, recipient, text, conversationRef }, signal, traceparent) => {
      const answer = await callService(address, "POST", "/api/v1/runs/messages/send", {
        body: {
          channel,
          recipient,
          text,
          ...(conversationRef === undefined ? {} : { conversation_ref: conversationRef }),
        },
        headers: { authorization: `Bearer ${token}`, ...(traceparent !== undefined && { traceparent }) },
        signal,
      });
      return (await answer.json()) as { message_id: string; status: string };
    };
  };
}
