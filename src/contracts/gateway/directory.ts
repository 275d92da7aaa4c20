import { type Static, Type } from "@sinclair/typebox";
import { Account } from "./accounts.ts";
import { Binding } from "./bindings.ts";
import { ChannelName } from "./channels.ts";

const count = Type.Integer({ minimum: 0 });

/** An account with the binding that says who answers it. */
export const DirectoryEntry = Type.Object({
  account: Account,
  binding: Type.Union([Binding, Type.Null()]),
});
export type DirectoryEntry = Static<typeof DirectoryEntry>;

export const Directory = Type.Object({
  entries: Type.Array(DirectoryEntry, { description: "Newest account first." }),
  total: count,
  limit: Type.Integer({ minimum: 1 }),
  offset: count,
});
export type Directory = Static<typeof Directory>;

/** Features that this gateway is set up for. */
export const GatewaySetup = Type.Object({
  channels: Type.Array(
    Type.Object({
      channel: ChannelName,
      accepts: Type.Boolean({ description: "True if the gateway accepts deliveries of the channel." }),
      media_bytes_max: Type.Record(Type.String(), count, {
        description: "Largest uploaded file by its kind; a kind without an entry can't be sent.",
      }),
      has_templates: Type.Boolean({ description: "True if approved templates can be sent." }),
    }),
  ),
  emulator: Type.Boolean({ description: "True if the routes of the emulator exist." }),
  public_base_url: Type.Union([Type.String(), Type.Null()], {
    description: "`GATEWAY_PUBLIC_BASE_URL`: the gateway's address as providers see it.",
  }),
  seals: Type.Boolean({ description: "False if no sealing key is configured, so nothing can be stored." }),
});
export type GatewaySetup = Static<typeof GatewaySetup>;

/** The address to enter at an account's provider. */
export const AccountWebhook = Type.Object({
  path: Type.String({ description: "Path at the gateway's public address." }),
  url: Type.Union([Type.String(), Type.Null()], {
    description: "Null without `GATEWAY_PUBLIC_BASE_URL`.",
  }),
  accepts: Type.Boolean({ description: "False if deliveries are refused with 404." }),
  verify_token: Type.Union([Type.String(), Type.Null()], {
    description: "Token of the provider's handshake; null if the channel has none.",
  }),
});
export type AccountWebhook = Static<typeof AccountWebhook>;
