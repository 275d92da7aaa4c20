import { secretReading } from "./secret-setting.ts";
import { asFlag, asHttpUrl, type SettingReader } from "./setting.ts";

/** Settings of the messaging gateway. */
export interface GatewayConfig {
  /** Keys with which the programs of tenants send. */
  sendKeys: readonly { tenantId: string; key: string }[];
  /** Key with which the platform sends for any tenant. */
  trustedSenderKey?: string;
  adminToken?: string;
  /** From it, the secret of each bot's deliveries is derived. */
  botWebhookSecret?: string;
  /** Secrets of Meta's apps, with which deliveries are signed, and the tokens of their handshakes. Each pair is complete or absent. */
  phoneAppSecret?: string;
  phoneVerifyToken?: string;
  photoAppSecret?: string;
  photoVerifyToken?: string;
  /** Address of the gateway as providers see it. */
  publicBaseUrl?: string;
  /** A platform in another process; undefined for the one of this process. */
  platformUrl?: string;
  /** Addresses of the providers' APIs, without a slash at the end. */
  graphBaseUrl: string;
  botBaseUrl: string;
  emulator: boolean;
  /** External ids of accounts whose messages go nowhere, whatever the accounts say. */
  emulated: readonly string[];
  webchat: boolean;
  echo: boolean;
  allowsHttpCallbacks: boolean;
  inbound: {
    /** Events that may wait for their processing; further deliveries are refused. */
    openMax: number;
    /** Messages that this process works on at the same time. */
    workers: number;
  };
}

/** Values of flags of `argosy serve`. */
export interface GatewayFlags {
  enableWebchat?: boolean;
}

/** Reads the gateway's settings from variables. Weak and malformed secrets, and one secret for two uses, are faults. */
export function readGateway(reader: SettingReader, flags: GatewayFlags = {}): GatewayConfig {
  const sendKeys =
    reader.find({
      key: "gateway.send_keys",
      variables: ["GATEWAY_SEND_KEYS"],
      secret: true,
      read: (text) => readSendKeys(text).keys,
      expects: (text) => readSendKeys(text).fault ?? "",
    }) ?? [];
  const secret = (name: string, variable: string) =>
    reader.find({ key: `gateway.${name}`, variables: [variable], ...secretReading });
  const trustedSenderKey = secret("trusted_sender_key", "GATEWAY_TRUSTED_SENDER_KEY");
  const adminToken = secret("admin_token", "GATEWAY_ADMIN_TOKEN");
  const botWebhookSecret = secret("bot_webhook_secret", "GATEWAY_BOT_WEBHOOK_SECRET");
  const phone = readApp(reader, "phone");
  const photo = readApp(reader, "photo");
  requireApart(reader, [
    ["GATEWAY_PHONE_APP_SECRET", phone.appSecret],
    ["GATEWAY_PHOTO_APP_SECRET", photo.appSecret === phone.appSecret ? undefined : photo.appSecret],
    ["GATEWAY_TRUSTED_SENDER_KEY", trustedSenderKey],
    ["GATEWAY_ADMIN_TOKEN", adminToken],
    ["GATEWAY_BOT_WEBHOOK_SECRET", botWebhookSecret],
    ...sendKeys.map(({ key }) => ["GATEWAY_SEND_KEYS", key] as const),
  ]);
  const url = { read: asBaseUrl, expects: "an http or https address without user, query and fragment" };
  const publicBaseUrl = reader.find({
    key: "gateway.public_base_url",
    variables: ["GATEWAY_PUBLIC_BASE_URL"],
    ...url,
  });
  const platformUrl = reader.find({
    key: "gateway.platform_url",
    variables: ["GATEWAY_PLATFORM_URL"],
    ...url,
  });
  const flag = (name: string, variable: string, given?: boolean) =>
    reader.get(
      {
        key: `gateway.${name}`,
        flag: { name: name.replaceAll("_", "-"), value: given },
        variables: [variable],
        read: asFlag,
        expects: "true or false",
      },
      false,
    );
  const count = (name: string, variable: string, fallback: number, max: number) =>
    reader.get(
      {
        key: `gateway.${name}`,
        variables: [variable],
        read: (text) => wholeNumber(text, max),
        expects: `a whole number from 1 to ${max}`,
      },
      fallback,
    );
  return {
    ...(phone.appSecret === undefined ? {} : { phoneAppSecret: phone.appSecret }),
    ...(phone.verifyToken === undefined ? {} : { phoneVerifyToken: phone.verifyToken }),
    ...(photo.appSecret === undefined ? {} : { photoAppSecret: photo.appSecret }),
    ...(photo.verifyToken === undefined ? {} : { photoVerifyToken: photo.verifyToken }),
    sendKeys,
    ...(trustedSenderKey === undefined ? {} : { trustedSenderKey }),
    ...(adminToken === undefined ? {} : { adminToken }),
    ...(botWebhookSecret === undefined ? {} : { botWebhookSecret }),
    ...(publicBaseUrl === undefined ? {} : { publicBaseUrl }),
    ...(platformUrl === undefined ? {} : { platformUrl }),
    graphBaseUrl: reader.get(
      { key: "gateway.graph_base_url", variables: ["GATEWAY_GRAPH_BASE_URL"], ...url },
      "https://graph.facebook.com/v24.0",
    ),
    botBaseUrl: reader.get(
      { key: "gateway.bot_base_url", variables: ["GATEWAY_BOT_BASE_URL"], ...url },
      "https://api.telegram.org",
    ),
    webchat: flag("enable_webchat", "GATEWAY_ENABLE_WEBCHAT", flags.enableWebchat),
    emulator: flag("emulator", "GATEWAY_EMULATOR"),
    emulated: reader.get(
      {
        key: "gateway.emulate",
        variables: ["GATEWAY_EMULATE"],
        read: asExternalIds,
        expects: "external ids of accounts, comma separated",
      },
      [],
    ),
    echo: flag("enable_echo", "GATEWAY_ENABLE_ECHO"),
    inbound: {
      openMax: count("inbound_queue_max", "GATEWAY_INBOUND_QUEUE_MAX", 10_000, 1_000_000),
      workers: count("inbound_workers", "GATEWAY_INBOUND_WORKERS", 64, 1_024),
    },
    allowsHttpCallbacks: flag("allow_http_callbacks", "GATEWAY_ALLOW_HTTP_CALLBACKS"),
  };
}

/** Secrets of the gateway, to be masked. */
export const gatewaySecrets = ({
  sendKeys,
  trustedSenderKey,
  adminToken,
  botWebhookSecret,
  phoneAppSecret,
  phoneVerifyToken,
  photoAppSecret,
  photoVerifyToken,
}: GatewayConfig): (string | undefined)[] => [
  ...sendKeys.map(({ key }) => key),
  trustedSenderKey,
  adminToken,
  botWebhookSecret,
  phoneAppSecret,
  phoneVerifyToken,
  photoAppSecret,
  photoVerifyToken,
];

/** Reads the secret and the verify token of one of Meta's apps. One without the other is a fault. */
function readApp(
  reader: SettingReader,
  name: "phone" | "photo",
): { appSecret: string | undefined; verifyToken: string | undefined } {
  const variable = (rest: string) => `GATEWAY_${name.toUpperCase()}_${rest}`;
  const appSecret = reader.find({
    key: `gateway.${name}_app_secret`,
    variables: [variable("APP_SECRET")],
    ...secretReading,
  });
  const verifyToken = reader.find({
    key: `gateway.${name}_verify_token`,
    variables: [variable("VERIFY_TOKEN")],
    secret: true,
    read: (text) => (/^[\x21-\x7e]{1,512}$/.test(text) ? text : undefined),
    expects: "1 to 512 ASCII characters without spaces",
  });
  if (appSecret !== undefined && verifyToken === undefined) {
    reader.fault(variable("VERIFY_TOKEN"), `is required with ${variable("APP_SECRET")}`);
  }
  if (appSecret === undefined && verifyToken !== undefined) {
    reader.fault(variable("APP_SECRET"), `is required with ${variable("VERIFY_TOKEN")}`);
  }
  return { appSecret, verifyToken };
}

function wholeNumber(text: string, max: number): number | undefined {
  const count = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : Number.NaN;
  return count <= max ? count : undefined;
}

function asExternalIds(text: string): string[] | undefined {
  const ids = text.split(",").map((id) => id.trim());
  return ids.every((id) => /^\S{1,255}$/.test(id)) ? [...new Set(ids)] : undefined;
}

type SendKeys = GatewayConfig["sendKeys"];

/** Reads `tenant:key` pairs. The fault never repeats a key. */
export function readSendKeys(
  text: string,
): { keys: SendKeys; fault?: never } | { keys?: never; fault: string } {
  const keys: { tenantId: string; key: string }[] = [];
  const seen = new Set<string>();
  for (const [index, pair] of text.split(",").entries()) {
    const [, tenantId, key] = /^([^\s,:]{1,255}):([\x21-\x7e]+)$/.exec(pair.trim()) ?? [];
    const place = `pair ${index + 1}`;
    if (tenantId === undefined || key === undefined) {
      return { fault: `tenant:key pairs, comma separated, without white space inside: ${place} is not one` };
    }
    if (seen.has(key)) return { fault: `pairs with a key each: the key of ${place} was given before` };
    seen.add(key);
    keys.push({ tenantId, key });
  }
  return { keys };
}

/** A secret of one plane must not open another. */
function requireApart(
  reader: SettingReader,
  secrets: readonly (readonly [variable: string, secret: string | undefined])[],
): void {
  const firstBy = new Map<string, string>();
  for (const [variable, secret] of secrets) {
    if (secret === undefined) continue;
    const first = firstBy.get(secret);
    if (first === undefined) firstBy.set(secret, variable);
    else if (first !== variable) reader.fault(variable, `must differ from ${first}`);
  }
}

function asBaseUrl(text: string): string | undefined {
  const url = URL.parse(asHttpUrl(text) ?? "");
  if (url === null || url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    return undefined;
  }
  return url.href.replace(/\/+$/, "");
}
