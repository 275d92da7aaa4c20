import type { ChannelMarks } from "../../channels/outbox/message-sender.ts";
import type { KnownOwners } from "../../kit/concurrency/known-owners.ts";
import { OwnerPlaces } from "../../kit/concurrency/owner-places.ts";
import type { Logger } from "../../kit/log.ts";
import { openAccount } from "../../services/gateway/accounts/credentials.ts";
import type { BegunMessage, MessageMarks } from "../../services/gateway/processing/message-marks.ts";
import type { Sealer } from "../../storage/sealing/seal.ts";

interface MarkParts {
  marks: ChannelMarks;
  sealer: Sealer | undefined;
  tenantOwners: KnownOwners;
  log: Logger;
}

/** Marks at one time, of which owners get their shares; further ones are left out, because a late mark is of no use. */
const atOnceMax = 64;

/** Marks messages as read, shows that an answer is being written, and answers pressed buttons. */
export function createMessageMarks({ marks, sealer, tenantOwners, log }: MarkParts): MessageMarks {
  const places = new OwnerPlaces(atOnceMax);
  const mark = async ({ account: row, event }: BegunMessage): Promise<void> => {
    if (row.pausedReason !== null) return;
    const account = openAccount(sealer, row);
    const recipient = event.conversation.address.address;
    if (event.callbackId !== undefined) await marks.answerButton(account, event.callbackId);
    if (account.channel === "phone_messenger") await marks.markRead(account, recipient, event.messageId);
    else await marks.showTyping(account, recipient);
  };
  return {
    begun(message) {
      const owner = tenantOwners.of(message.account.tenantId);
      if (!places.mayTake(owner)) return;
      const leave = places.take(owner);
      mark(message)
        .catch((err) => log.debug("inbound.not_marked", { err }))
        .finally(leave);
    },
  };
}
