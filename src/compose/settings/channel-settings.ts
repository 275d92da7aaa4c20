import type { ChannelsFile } from "../../manifest/files/channels-file.ts";
import type { PhoneMessengerSettings } from "../../services/daemon/channels/phone-messenger.ts";
import { asFlag, asPositive, asText, type SettingReader, type SettingRule } from "./setting.ts";

/** Messaging channels; undefined if not configured. */
export interface ChannelsConfig {
  phoneMessenger: PhoneMessengerSettings | undefined;
}

/** If `api_base_url` is set, it must contain the version. */
const apiBaseUrlDefault = "https://graph.facebook.com/v24.0";

type PhoneMessengerFile = NonNullable<ChannelsFile["channels"]["phone_messenger"]>;

const variables = {
  verify_token: "CHANNEL_VERIFY_TOKEN",
  access_token: "CHANNEL_ACCESS_TOKEN",
  phone_number_id: "CHANNEL_PHONE_NUMBER_ID",
  app_secret: "CHANNEL_APP_SECRET",
} as const;

/** Reads the channels from variables, which take precedence, and from channels.yaml. A partly configured channel is a fault. */
export function readChannels(
  reader: SettingReader,
  { channels }: ChannelsFile,
  variable: (name: string) => string | undefined,
): ChannelsConfig {
  const file = channels.phone_messenger;
  const isWanted = file !== undefined || Object.values(variables).some((name) => variable(name));
  return { phoneMessenger: isWanted ? readPhoneMessenger(reader, file, variable) : undefined };
}

function readPhoneMessenger(
  reader: SettingReader,
  file: PhoneMessengerFile | undefined,
  variable: (name: string) => string | undefined,
): PhoneMessengerSettings {
  const fromFile = (name: string, value: unknown) => ({
    key: pathOf(name),
    file: { path: pathOf(name), value, of: "channels.yaml" as const },
  });
  /** Set by a variable or in the file. If neither sets it, it is a fault, unless it is optional. */
  const named = (
    name: keyof typeof variables,
    rule: Pick<SettingRule<string>, "read" | "expects" | "secret">,
    isOptional = false,
  ) => {
    const isGiven = Boolean(variable(variables[name])) || file?.[name] !== undefined;
    if (!isGiven && !isOptional) {
      const message = `must be set, or ${name} in channels.yaml: the channel phone_messenger is set up in part`;
      reader.fault(variables[name], message);
    }
    return reader.find({ ...fromFile(name, file?.[name]), variables: [variables[name]], ...rule });
  };
  if (file === undefined) {
    const message =
      "is missing: it names the agent that answers the channel whose variables CHANNEL_… are set";
    reader.fault(`channels.yaml ${pathOf("default_agent")}`, message);
  }
  const seconds = { read: asPositive, expects: "a whole number above 0" };
  const limit = file?.rate_limit;
  return {
    // Missing values are already faults, so nothing starts with these defaults.
    verifyToken: named("verify_token", { read: asText, expects: "a text", secret: true }) ?? "",
    accessToken:
      named("access_token", { read: asHeaderText, expects: "ASCII without spaces", secret: true }) ?? "",
    phoneNumberId: named("phone_number_id", { read: asNumberId, expects: "the id of a phone number" }) ?? "",
    appSecret: named("app_secret", { read: asText, expects: "a text", secret: true }, true),
    defaultAgent:
      reader.find({
        ...fromFile("default_agent", file?.default_agent),
        read: asText,
        expects: "an agent's name",
      }) ?? "",
    rateLimit: {
      messagesMax: reader.get(
        { ...fromFile("rate_limit.max_messages", limit?.max_messages), ...seconds },
        30,
      ),
      windowMs:
        reader.get({ ...fromFile("rate_limit.window_seconds", limit?.window_seconds), ...seconds }, 60) *
        1000,
    },
    allowsUnsigned: reader.get(
      { ...fromFile("allow_unsigned", file?.allow_unsigned), read: asFlag, expects: "true or false" },
      false,
    ),
    apiBaseUrl: reader.get(
      {
        ...fromFile("api_base_url", file?.api_base_url),
        read: asApiBaseUrl,
        expects: "an http or https address without user, query and fragment",
      },
      apiBaseUrlDefault,
    ),
  };
}

/** Secrets of the channels, to be masked. */
export function channelSecrets({ phoneMessenger }: ChannelsConfig): (string | undefined)[] {
  return [phoneMessenger?.verifyToken, phoneMessenger?.accessToken, phoneMessenger?.appSecret];
}

const pathOf = (name: string) => `channels.phone_messenger.${name}`;

/** Accepts text for an HTTP header. */
function asHeaderText(text: string): string | undefined {
  return /^[\x21-\x7e]+$/.test(text) ? text : undefined;
}

/** Accepts text for a URL path. */
function asNumberId(text: string): string | undefined {
  return /^[\w-]{1,64}$/.test(text) ? text : undefined;
}

function asApiBaseUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined;
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") return undefined;
  return url.href.replace(/\/+$/, "");
}
