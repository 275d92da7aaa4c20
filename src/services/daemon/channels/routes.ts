import { Elysia } from "elysia";
import { DeliveryAnswer } from "../../../contracts/daemon/channels.ts";
import { isForwarded } from "../../../http/front-door/front-door.ts";
import { rawRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { DaemonChannels, PhoneMessenger } from "./phone-messenger.ts";

/** Needs no API token: the verify token and the signature authenticate the caller. */
export const webhookPath = "/v1/channels/phone_messenger/webhook";

const deliveryBytesMax = 4 * 1024 * 1024;

/** Webhook for WhatsApp's Cloud API. */
export const channelRoutes = ({ channels }: { channels: DaemonChannels }) =>
  new Elysia()
    .use(rawRoutes(deliveryBytesMax))
    .get(
      webhookPath,
      async ({ request, set }) => {
        const challenge = configured(channels.phoneMessenger).verify(new URL(request.url).searchParams);
        set.headers["content-type"] = "text/plain; charset=utf-8";
        set.headers["cache-control"] = "no-store";
        return challenge;
      },
      {
        detail: {
          tags: ["channels"],
          operationId: "verifyPhoneMessenger",
          summary: "Answers the provider's handshake",
          description:
            "Returns `hub.challenge` as plain text if `hub.mode` is `subscribe` and `hub.verify_token` matches the verify token of the channel.",
          security: [],
        },
      },
    )
    .post(
      webhookPath,
      async ({ request, body }) => {
        const bytes = body instanceof Uint8Array ? body : new Uint8Array();
        return configured(channels.phoneMessenger).deliver(bytes, {
          signature: request.headers.get("x-hub-signature-256"),
          isFromOutside: isForwarded(request.headers),
        });
      },
      {
        response: DeliveryAnswer,
        detail: {
          tags: ["channels"],
          operationId: "deliverToPhoneMessenger",
          summary: "Receives a provider's delivery",
          description:
            "The body is a WhatsApp webhook payload of at most 4 MiB, signed in `X-Hub-Signature-256`. The response is sent as soon as the messages are stored. Agents answer the messages afterwards.",
          security: [],
        },
      },
    );

function configured(messenger: PhoneMessenger | undefined): PhoneMessenger {
  if (messenger !== undefined) return messenger;
  throw new AppError("not_found", "not_found", "The channel phone_messenger is not configured.", {
    details: {
      hint: "Configure it in channels.yaml or with the variables CHANNEL_*; see docs/channels.md.",
    },
  });
}
