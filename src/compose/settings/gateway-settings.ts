import type { RuntimeFile } from "../../manifest/files/runtime-file.ts";
import { secretReading } from "./secrets/secret-setting.ts";
import { asFlag, asHttpUrl, asList, asPositive, type SettingReader } from "./setting.ts";

/** Secrets of a channel of Meta: the app's, which signs deliveries, and the token of the handshake. */
export interface MetaSecrets {
  appSecret: string;
  verifyToken: string;
}

/** A server with OpenAI's API for transcriptions. */
export interface TranscriptionConfig {
  /** Without a slash at the end, such as `https://api.openai.com/v1`. */
  url: string;
  key?: string;
  model: string;
}

/** Settings of the messaging gateway. */
export interface GatewayConfig {
  /** Keys with which the programs of tenants send. */
  sendKeys: readonly { tenantId: string; key: string }[];
  /** Key with which the platform sends for any tenant. */
  trustedSenderKey?: string;
  adminToken?: string;
  /** From it, the secret of each bot's deliveries is derived. */
  botWebhookSecret?: string;
  /** Undefined: deliveries of `phone_messenger` are not accepted. */
  phone?: MetaSecrets;
  /** Undefined: deliveries of `photo_social` are not accepted. */
  photo?: MetaSecrets;
  /** Address of the gateway as providers see it. */
  publicBaseUrl?: string;
  /** A platform in another process; undefined for the one of this process. */
  platformUrl?: string;
  /** Addresses of the providers' APIs, without a slash at the end; those of Meta include the version. */
  baseUrls: { graph: string; instagram: string; bot: string };
  /** Undefined: voice messages are not transcribed. */
  transcription?: TranscriptionConfig;
  webchat: boolean;
  echo: boolean;
  emulator: boolean;
  /** External ids that are emulated beside the accounts that say so themselves. */
  emulate: readonly string[];
  allowsHttpCallbacks: boolean;
  /** Deliveries that may wait; more are refused. */
  inboundRows: number;
  /** Deliveries processed at once. */
  workers: number;
  /** Messages of a tenant that may wait to be sent; more are refused. */
  outboxRows: number;
  /** Accounts that a tenant may have. */
  accounts: number;
  /** Bytes that are kept for a tenant whose limit no platform tells. */
  storageBytes: number;
}

/** Values of flags of `argosy serve`. */
export interface GatewayFlags {
  enableWebchat?: boolean;
}

/** Graph API version of the default addresses. */
const graphVersion = "v24.0";

/** Reads the gateway's settings. Weak and malformed secrets, half a pair, and one secret for two uses are faults. */
export function readGateway(
  reader: SettingReader,
  { spec }: Pick<RuntimeFile, "spec"> = { spec: {} },
  flags: GatewayFlags = {},
): GatewayConfig {
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
  const phone = readMeta(reader, "phone");
  const photo = readMeta(reader, "photo");
  // One app of Meta may have both channels, so their secrets may be equal.
  requireApart(reader, [
    ["GATEWAY_TRUSTED_SENDER_KEY", trustedSenderKey],
    ["GATEWAY_ADMIN_TOKEN", adminToken],
    ["GATEWAY_BOT_WEBHOOK_SECRET", botWebhookSecret],
    ["GATEWAY_PHONE_APP_SECRET", phone?.appSecret],
    ...(photo?.appSecret === phone?.appSecret
      ? []
      : [["GATEWAY_PHOTO_APP_SECRET", photo?.appSecret] as const]),
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
        ...(given === undefined ? {} : { flag: { name: name.replaceAll("_", "-"), value: given } }),
        variables: [variable],
        read: asFlag,
        expects: "true or false",
      },
      false,
    );
  const count = (
    name: "inbound_rows" | "workers" | "outbox_rows" | "accounts" | "storage_bytes",
    fallback: number,
  ) =>
    reader.get(
      {
        key: `gateway.${name}`,
        file: { path: `spec.gateway.${name}`, value: spec.gateway?.[name] },
        read: asPositive,
        expects: "a number above 0",
      },
      fallback,
    );
  const graph = reader.find({
    key: "gateway.graph_base_url",
    variables: ["GATEWAY_GRAPH_BASE_URL"],
    ...url,
  });
  const transcription = readTranscription(reader, url);
  return {
    sendKeys,
    ...(transcription === undefined ? {} : { transcription }),
    ...(trustedSenderKey === undefined ? {} : { trustedSenderKey }),
    ...(adminToken === undefined ? {} : { adminToken }),
    ...(botWebhookSecret === undefined ? {} : { botWebhookSecret }),
    ...(phone === undefined ? {} : { phone }),
    ...(photo === undefined ? {} : { photo }),
    ...(publicBaseUrl === undefined ? {} : { publicBaseUrl }),
    ...(platformUrl === undefined ? {} : { platformUrl }),
    baseUrls: {
      graph: graph ?? `https://graph.facebook.com/${graphVersion}`,
      instagram: graph ?? `https://graph.instagram.com/${graphVersion}`,
      bot: reader.get(
        { key: "gateway.bot_base_url", variables: ["GATEWAY_BOT_BASE_URL"], ...url },
        "https://api.telegram.org",
      ),
    },
    webchat: flag("enable_webchat", "GATEWAY_ENABLE_WEBCHAT", flags.enableWebchat),
    echo: flag("enable_echo", "GATEWAY_ENABLE_ECHO"),
    emulator: flag("emulator", "GATEWAY_EMULATOR"),
    emulate:
      reader.find({
        key: "gateway.emulate",
        variables: ["GATEWAY_EMULATE"],
        read: asExternalIds,
        expects: "external ids of accounts, separated by commas",
      }) ?? [],
    allowsHttpCallbacks: flag("allow_http_callbacks", "GATEWAY_ALLOW_HTTP_CALLBACKS"),
    inboundRows: count("inbound_rows", 10_000),
    workers: count("workers", 64),
    outboxRows: count("outbox_rows", 100_000),
    accounts: count("accounts", 1_000),
    storageBytes: count("storage_bytes", 10 * 1024 ** 3),
  };
}

/** Reads the server of transcriptions. A key or a model without an address is a fault. */
function readTranscription(
  reader: SettingReader,
  asUrl: { read: typeof asBaseUrl; expects: string },
): TranscriptionConfig | undefined {
  const [urlName, keyName, modelName] = ["URL", "KEY", "MODEL"].map(
    (name) => `GATEWAY_TRANSCRIPTION_${name}`,
  );
  const visible = (text: string) => (/^[\x21-\x7e]{1,255}$/.test(text) ? text : undefined);
  const expects = "1 to 255 ASCII characters without spaces";
  const url = reader.find({ key: "gateway.transcription_url", variables: [urlName ?? ""], ...asUrl });
  const key = reader.find({
    key: "gateway.transcription_key",
    variables: [keyName ?? ""],
    secret: true,
    read: visible,
    expects,
  });
  const model = reader.find({
    key: "gateway.transcription_model",
    variables: [modelName ?? ""],
    read: visible,
    expects,
  });
  for (const name of [keyName ?? "", modelName ?? ""])
    if (reader.has(name) && !reader.has(urlName ?? ""))
      reader.fault(urlName ?? "", `must be set where ${name} is`);
  return url === undefined
    ? undefined
    : { url, ...(key !== undefined && { key }), model: model ?? "whisper-1" };
}

/** Reads the pair of secrets of a channel of Meta. Half a pair is a fault. */
function readMeta(reader: SettingReader, channel: "phone" | "photo"): MetaSecrets | undefined {
  const names = [
    `GATEWAY_${channel.toUpperCase()}_APP_SECRET`,
    `GATEWAY_${channel.toUpperCase()}_VERIFY_TOKEN`,
  ];
  const [secretName = "", tokenName = ""] = names;
  const appSecret = reader.find({
    key: `gateway.${channel}_app_secret`,
    variables: [secretName],
    ...secretReading,
  });
  const verifyToken = reader.find({
    key: `gateway.${channel}_verify_token`,
    variables: [tokenName],
    secret: true,
    read: (text) => (/^[\x21-\x7e]{1,255}$/.test(text) ? text : undefined),
    expects: "1 to 255 ASCII characters without spaces",
  });
  if (reader.has(secretName) && !reader.has(tokenName))
    reader.fault(tokenName, `must be set where ${secretName} is`);
  if (reader.has(tokenName) && !reader.has(secretName))
    reader.fault(secretName, `must be set where ${tokenName} is`);
  return appSecret === undefined || verifyToken === undefined ? undefined : { appSecret, verifyToken };
}

function asExternalIds(text: string): string[] | undefined {
  const ids = asList(text);
  return ids?.every((id) => /^[\w.@+-]{1,255}$/.test(id)) ? ids : undefined;
}

/** Secrets of the gateway, to be masked. */
export const gatewaySecrets = ({
  sendKeys,
  trustedSenderKey,
  adminToken,
  botWebhookSecret,
  phone,
  photo,
  transcription,
}: GatewayConfig): (string | undefined)[] => [
  transcription?.key,
  ...sendKeys.map(({ key }) => key),
  trustedSenderKey,
  adminToken,
  botWebhookSecret,
  phone?.appSecret,
  phone?.verifyToken,
  photo?.appSecret,
  photo?.verifyToken,
];

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
