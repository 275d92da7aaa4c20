import { Elysia } from "elysia";
import { DeliveryFull, DeliveryQueued } from "../../../contracts/gateway/webhooks.ts";
import { rawRoutes } from "../../../http/route-plugins.ts";
import { type ReceivePorts, receiveDelivery } from "./receive-delivery.ts";
import { getWebhook } from "./webhook-secrets.ts";

const tags = ["webhooks"];

/** The largest provider limits its deliveries to 3 MB. */
const deliveryBytesMax = 3 * 1024 * 1024;

interface Address {
  channel: string;
  cuenta?: string;
}

/** Webhooks of the channels' providers. The signature is their only credential. */
export const webhookRoutes = (ports: ReceivePorts) => {
  const handshake = async ({ params, request, set }: Given<Address>) => {
    const { webhook, verifyToken } = await getWebhook(ports, params.channel, params.cuenta);
    const challenge = webhook.handshake(new URL(request.url).searchParams, verifyToken);
    set.headers["cache-control"] = "no-store";
    if (challenge === undefined) return { status: "ok" } as never;
    set.headers["content-type"] = "text/plain; charset=utf-8";
    return challenge as never;
  };
  const deliver = async ({ params, request, body, set }: Given<Address> & { body: unknown }) => {
    const bytes = body instanceof Uint8Array ? body : new Uint8Array();
    const { channel, cuenta: account } = params;
    const raw = { headers: request.headers, body: bytes, account };
    const { queued, total, isComplete } = await receiveDelivery(ports, channel, raw);
    if (isComplete) return { queued } as never;
    set.status = 503;
    set.headers["retry-after"] = "60";
    return { queued, total } as never;
  };
  const delivery = {
    response: { 200: DeliveryQueued, 503: DeliveryFull },
    detail: {
      tags,
      operationId: "deliver",
      summary: "Receives a provider's delivery",
      description:
        "The body is the provider's payload of at most 3 MiB, signed as the provider signs. The answer comes as soon as the events are stored; they are processed afterwards. `queued` counts the messages of users.",
      security: [],
    },
  };
  const verification = {
    detail: {
      tags,
      operationId: "verifyWebhook",
      summary: "Answers a provider's handshake",
      description: "Returns `hub.challenge` as plain text if the verify token matches.",
      security: [],
    },
  };
  const named = (detail: object, operationId: string) => ({ ...detail, operationId });
  return new Elysia({ prefix: "/webhooks" })
    .use(rawRoutes(deliveryBytesMax))
    .get("/:channel", handshake, verification)
    .post("/:channel", deliver, delivery)
    .get("/:channel/:cuenta", handshake, { detail: named(verification.detail, "verifyAccountWebhook") })
    .post("/:channel/:cuenta", deliver, { ...delivery, detail: named(delivery.detail, "deliverToAccount") });
};

interface Given<Params> {
  params: Params;
  request: Request;
  set: { status?: number | string; headers: Record<string, string | number> };
}
