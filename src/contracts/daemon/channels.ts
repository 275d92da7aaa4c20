import { Type } from "@sinclair/typebox";

/** Answer to a delivery of a messaging channel. */
export const DeliveryAnswer = Type.Object({
  queued: Type.Integer({
    minimum: 0,
    description: "Messages of this delivery that are kept to be answered, those delivered before included.",
  }),
});
