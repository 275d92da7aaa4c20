import type { Account } from "../../../contracts/gateway/accounts.ts";
import type { GatewayAdminClient } from "../../../contracts/gateway/client.ts";
import type { EmulatorInboundInput } from "../../../contracts/gateway/emulator.ts";
import { randomHex } from "../../parts/text/random-hex.ts";
import { phoneTexts as texts } from "../../texts/gateway/phone.ts";

/** Faults that the phone can play. */
export const faults = ["duplicate", "order", "window", "limit", "media"] as const;
export type PlayFault = (typeof faults)[number];

/** A message of the customer. */
export interface PlayedMessage {
  account: Pick<Account, "channel" | "external_id">;
  from: string;
  name: string;
  text: string;
}

type Calls = Pick<GatewayAdminClient, "emulateInbound" | "failEmulated">;

const apartMs = 5_000;

/** Delivers a message as the account's provider would, with a fault. Returns the provider's id of the message to follow. */
export async function playMessage(
  gateway: Calls,
  { account, from, name, text }: PlayedMessage,
  fault: PlayFault | undefined,
): Promise<string> {
  const message: EmulatorInboundInput = {
    canal: account.channel,
    cuenta: account.external_id,
    desde: from,
    texto: text,
    ...(name !== "" && { nombre: name }),
  };
  const write = async (more: Partial<EmulatorInboundInput> = {}) =>
    (await gateway.emulateInbound({ ...message, ...more })).channel_message_id;
  switch (fault) {
    case undefined:
      return write();
    case "duplicate": {
      const id = await write();
      await write({ channel_message_id: id });
      return id;
    }
    case "order": {
      const now = Date.now();
      const later = await write({ enviado: new Date(now).toISOString() });
      await write({ enviado: new Date(now - apartMs).toISOString(), texto: texts.earlierText(text) });
      return later;
    }
    case "window":
    case "limit": {
      // The answer to an earlier message may still be on its way.
      const id = `phone.${randomHex(16)}`;
      await gateway.failEmulated({
        canal: account.channel,
        cuenta: account.external_id,
        fault: fault === "window" ? "closed-window" : "429",
        channel_message_id: id,
      });
      return write({ channel_message_id: id });
    }
    case "media":
      return write({ media: [{ kind: "image", mime_type: "image/jpeg", file_name: "picture.jpg" }] });
  }
}
