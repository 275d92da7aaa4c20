import { type Static, Type } from "@sinclair/typebox";

export const channelNames = ["phone_messenger", "bot_messenger", "photo_social", "webchat", "echo"] as const;

export type ChannelName = (typeof channelNames)[number];
export const ChannelName = Type.Unsafe<ChannelName>(
  Type.Union(
    channelNames.map((name) => Type.Literal(name)),
    { fault: `must be one of ${channelNames.join(", ")}` },
  ),
);

/** Marks a credential that is shown in part. No stored secret may begin with it. */
export const secretMask = "•••";

/** Id of a tenant. There is no registry of tenants, so any text that a header and a key list can hold is valid. */
export const TenantId = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: "^[^\\s,:]+$",
  fault: "must be 1 to 255 characters without white space, comma and colon",
});

export const Deleted = Type.Object({ deleted: Type.Literal(true) });
export type Deleted = Static<typeof Deleted>;
