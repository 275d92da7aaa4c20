import { type Static, Type } from "@sinclair/typebox";
import { ChannelName, TenantId } from "./channels.ts";

const Credentials = Type.Record(Type.String(), Type.String({ maxLength: 4096 }));

export const AccountInput = Type.Object(
  {
    tenant_id: TenantId,
    channel: ChannelName,
    external_id: Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: "^[\\w.@+-]+$",
      description: "The provider's id of the account; in paths it is `:cuenta`.",
      fault: "must be 1 to 255 letters, digits and the characters . _ - @ +",
    }),
    credentials: Type.Optional(Credentials),
    emulated: Type.Optional(Type.Boolean({ description: "`true`: messages go to the emulator." })),
  },
  { additionalProperties: false },
);
export type AccountInput = Static<typeof AccountInput>;

export const Account = Type.Object({
  id: Type.String(),
  tenant_id: Type.String(),
  channel: ChannelName,
  external_id: Type.String(),
  credentials: Type.Record(Type.String(), Type.String(), {
    description: "Masked: three bullets and the last four characters.",
  }),
  emulated: Type.Boolean(),
  status: Type.Union([Type.Literal("active"), Type.Literal("paused")]),
  paused_reason: Type.Union([Type.String(), Type.Null()]),
  created_at: Type.String(),
});
export type Account = Static<typeof Account>;

export const AccountList = Type.Object({ accounts: Type.Array(Account) });
export type AccountList = Static<typeof AccountList>;
