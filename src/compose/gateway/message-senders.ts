import type {
  MessageSender,
  OutboxAccount,
  OutboxMessage,
  SendResult,
  TryOutcome,
} from "../../channels/outbox/message-sender.ts";
import { createProviderSender, type ProviderSenderParts } from "../../channels/outbox/provider-sender.ts";
import type { ChannelName } from "../../contracts/gateway/channels.ts";
import type { Clock } from "../../kit/clock.ts";
import type { EmulatorFault, EmulatorRing } from "../../services/gateway/emulator/emulator-ring.ts";

interface EmulatedParts {
  /** Takes the messages of emulated accounts. */
  emulated: EmulatorRing;
  /** Returns the provider's id of the user's message that a message of the outbox answers, if it answers one. */
  answered: (message: { tenantId: string; messageId: string }) => Promise<string | undefined>;
  clock: Clock;
}

/** Sends through the providers; messages of emulated accounts are kept here. */
export function createMessageSender({
  senderOf,
  settled,
  files,
  ...parts
}: EmulatedParts & Pick<ProviderSenderParts, "senderOf" | "settled" | "files">): MessageSender {
  const provider = createProviderSender({ senderOf, settled, clock: parts.clock, ...(files && { files }) });
  return {
    ...provider,
    send: (account, message, part) =>
      senderOf(account) === undefined ? keep(parts, account, message) : provider.send(account, message, part),
  };
}

/** Codes by which providers refuse free text when the user wrote too long ago. The other channels take it at any time. */
const windowCodes: Partial<Record<ChannelName, string>> = {
  phone_messenger: "131047",
  photo_social: "10/2534022",
};

/** Returns the answer of an emulated provider that fails. */
function emulatedFault(fault: EmulatorFault, channel: ChannelName): SendResult {
  switch (fault) {
    case "429":
      return {
        action: "retry",
        code: "429",
        message: "Emulated limit.",
        waitMs: 5_000,
        isAccountWide: true,
      };
    case "closed-window":
      return {
        action: "final",
        code: windowCodes[channel] ?? "closed_window",
        message: "Emulated: the user wrote more than 24 hours ago.",
      };
  }
}

async function keep(
  { emulated, answered, clock }: EmulatedParts,
  { id, tenantId, channel, externalId }: OutboxAccount,
  { token, recipient, trace: _, ...content }: OutboxMessage,
): Promise<TryOutcome> {
  const fault = await emulated.takeFault(id, () => answered({ tenantId, messageId: token }));
  if (fault !== undefined) return { result: emulatedFault(fault, channel), channelMessageId: undefined };
  emulated.add({ at: clock.now(), channel, account: externalId, recipient, content });
  return { result: { action: "sent" }, channelMessageId: `${channel}.${token}` };
}
