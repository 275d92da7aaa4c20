import { channels } from "../../channels/channel-registry.ts";
import { createProviderCall } from "../../channels/sending/provider-call.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Logger } from "../../kit/log.ts";
import { openAccount } from "../../services/gateway/accounts/credentials.ts";
import { findAccount } from "../../services/gateway/accounts/store.ts";
import type { BegunMessage, MessageMarks } from "../../services/gateway/processing/message-marks.ts";
import type { GatewayStorage } from "../../services/gateway/tables.ts";
import type { Sealer } from "../../storage/sealing/seal.ts";
import { providerFetch } from "../provider-fetch.ts";
import type { GatewayConfig } from "../settings/gateway-settings.ts";

interface MarkParts {
  config: Pick<GatewayConfig, "graphBaseUrl" | "botBaseUrl" | "emulated">;
  storage: GatewayStorage;
  sealer: Sealer | undefined;
  clock: Clock;
  log: Logger;
}

/** Marks at one time; further ones are left out, because a late mark is of no use. */
const atOnceMax = 64;

/** Marks messages as read, shows that an answer is being written, and answers pressed buttons. */
export function createMessageMarks({ config, storage, sealer, clock, log }: MarkParts): MessageMarks {
  const call = createProviderCall(providerFetch, clock);
  const baseUrls = {
    graph: config.graphBaseUrl,
    instagram: config.graphBaseUrl.replace("graph.facebook.com", "graph.instagram.com"),
    bot: config.botBaseUrl,
  };
  let atOnce = 0;
  const mark = async ({ tenantId, accountId, event }: BegunMessage): Promise<void> => {
    const account = await findAccount(storage.read, storage.tables, tenantId, accountId);
    if (account === undefined || account.emulated || config.emulated.includes(account.externalId)) return;
    const { createSender } = channels.get(account.channel) ?? {};
    if (createSender === undefined || account.pausedReason !== null) return;
    const sender = createSender(openAccount(sealer, account), { call, log, baseUrls });
    const { address } = event.conversation;
    if (event.callbackId !== undefined) await sender.answerButton?.(event.callbackId);
    if (account.channel === "phone_messenger") await sender.markRead?.(address, event.messageId);
    else await sender.showTyping?.(address);
  };
  return {
    begun(message) {
      if (atOnce >= atOnceMax) return;
      atOnce++;
      mark(message)
        .catch((err) => log.debug("inbound.not_marked", { err }))
        .finally(() => {
          atOnce--;
        });
    },
  };
}
