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
  /** Address of the gateway as providers see it. */
  publicBaseUrl?: string;
  /** A platform in another process; undefined for the one of this process. */
  platformUrl?: string;
  /** Addresses of the providers' APIs, without a slash at the end. */
  graphBaseUrl: string;
  botBaseUrl: string;
  webchat: boolean;
  emulator: boolean;
  allowsHttpCallbacks: boolean;
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
  requireApart(reader, [
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
  return {
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
    allowsHttpCallbacks: flag("allow_http_callbacks", "GATEWAY_ALLOW_HTTP_CALLBACKS"),
  };
}

/** Secrets of the gateway, to be masked. */
export const gatewaySecrets = ({
  sendKeys,
  trustedSenderKey,
  adminToken,
  botWebhookSecret,
}: GatewayConfig): (string | undefined)[] => [
  ...sendKeys.map(({ key }) => key),
  trustedSenderKey,
  adminToken,
  botWebhookSecret,
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
