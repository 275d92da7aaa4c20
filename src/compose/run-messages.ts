import { callService } from "../contracts/service-call.ts";
import { localFetch } from "../kit/fetch/local-fetch.ts";
import type { SendRunMessage } from "../services/daemon/runtime/runtime-deps.ts";
import { insideTransaction } from "../storage/transaction-scope.ts";
import type { Foundation } from "./foundation.ts";

/** Returns the function through which runs send messages to the platform in this process; undefined while there is none. */
export function runMessages(findService: Foundation["findService"]): () => SendRunMessage | undefined {
  return () => {
    const platform = findService("platform");
    if (platform === undefined) return undefined;
    const address = {
      fetch: localFetch(async (request) => platform.app.handle(request, { peer: "local" }), {
        refuseWhen: insideTransaction,
      }),
      baseUrl: "http://platform.localhost",
    };
    return async (token, { channel, recipient, text, conversationRef }, signal) => {
      const answer = await callService(address, "POST", "/api/v1/runs/messages/send", {
        body: {
          channel,
          recipient,
          text,
          ...(conversationRef === undefined ? {} : { conversation_ref: conversationRef }),
        },
        headers: { authorization: `Bearer ${token}` },
        signal,
      });
      return (await answer.json()) as { message_id: string; status: string };
    };
  };
}
