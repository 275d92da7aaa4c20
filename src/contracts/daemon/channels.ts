import { Type } from "@sinclair/typebox";

/** Answer to a delivery of a messaging channel. */
export const DeliveryAnswer = Type.Object({
  queued: Type.Integer({
    minimum: 0,
    description:
      "Number of messages in this delivery that are queued for an answer, including messages delivered before.",
  }),
});
