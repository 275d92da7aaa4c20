import { type Static, Type } from "@sinclair/typebox";

const count = (description: string) => Type.Integer({ minimum: 0, description });

/** Answer to a delivery that is stored. It is constant, because providers execute some answers. */
export const DeliveryQueued = Type.Object({
  queued: count("Messages of users in the delivery, those that were delivered before included."),
});
export type DeliveryQueued = Static<typeof DeliveryQueued>;

/** Answer to a delivery that is not stored completely: the provider delivers it again. */
export const DeliveryFull = Type.Object({
  queued: count("Messages of users that are stored."),
  total: count("Messages of users in the delivery."),
});
export type DeliveryFull = Static<typeof DeliveryFull>;
