import { type Static, Type } from "@sinclair/typebox";
import type { ManifestKind } from "../schema/manifest-kind.ts";
import { closed, flag, httpUrl, objectName, text, whole } from "../schema/schema-vocabulary.ts";

const secret = (description: string, variable: string) =>
  Type.Optional(text(4096, { description: `${description} Absent: the variable ${variable}.` }));

const phoneMessenger = closed(
  {
    verify_token: secret("What the provider says when it registers the webhook.", "CHANNEL_VERIFY_TOKEN"),
    access_token: secret("What replies are sent with.", "CHANNEL_ACCESS_TOKEN"),
    phone_number_id: secret("The number replies are sent from.", "CHANNEL_PHONE_NUMBER_ID"),
    app_secret: secret("What deliveries are signed with.", "CHANNEL_APP_SECRET"),
    default_agent: objectName({ description: "The agent that answers; must be loaded." }),
    rate_limit: closed(
      {
        window_seconds: whole(1, 86_400, { description: "Length of the window, in seconds.", default: 60 }),
        max_messages: whole(1, 100_000, { description: "Messages of one sender in a window.", default: 30 }),
      },
      { description: "A limit per sender.", default: {} },
    ),
    allow_unsigned: flag({
      description: "Whether deliveries are taken without an app secret while the service is exposed.",
      default: false,
    }),
    api_base_url: Type.Optional(
      httpUrl({
        description: "The provider's API, with its version.",
        default: "https://graph.facebook.com/v24.0",
      }),
    ),
  },
  { description: "WhatsApp's Cloud API." },
);

/** The schema of channels.yaml after reading: defaults filled in. */
export const ChannelsFileSchema = closed(
  {
    channels: closed(
      { phone_messenger: Type.Optional(phoneMessenger) },
      { description: "The channels the daemon listens on.", default: {} },
    ),
  },
  { title: "channels.yaml", description: "The messaging channels of the daemon." },
);

export type ChannelsFile = Static<typeof ChannelsFileSchema>;

export const channelsFileKind: ManifestKind<ChannelsFile> = { id: "channels", schema: ChannelsFileSchema };
