import { type MailSender, readSender } from "../../engine/tools/mail/email-address.ts";
import type { MailServer } from "../../engine/tools/mail/send-mail.ts";
import type { RuntimeFile } from "../../manifest/files/runtime-file.ts";
import { secretReading } from "./secrets/secret-setting.ts";
import { asFlag, asHttpUrl, asPositive, oneOf, type SettingReader } from "./setting.ts";

/** Settings of the agent platform. */
export interface PlatformConfig {
  /** If undefined, registration is open, or by invitation if the platform is exposed. */
  registration?: "open" | "invite" | "closed";
  runTimeoutSeconds: number;
  /** True if runs with a key or a session continue after the death of their process. */
  durable: boolean;
  /** True if runs may call models without a tariff. */
  allowUnpriced: boolean;
  /** A daemon on another machine that runs the agents; undefined for the one of this process. */
  runtimeUrl?: string;
  /** A platform on another machine, to which the runs of this daemon send their messages; undefined for the one of this process. */
  url?: string;
  operatorToken?: string;
  /** Mail server for notices, and their sender. */
  mail?: { server: MailServer; from: MailSender };
  /** Address at which people reach the console, without a slash at its end. */
  publicUrl?: string;
  /** Gateway that sends messages, with the key that lets the platform send for any tenant. */
  gateway?: { url: string; senderKey: string };
}

/** Secrets that the platform shares with other services. */
interface SharedSecrets {
  runtimeToken: string | undefined;
  /** Key of the gateway for sending for any tenant. */
  senderKey: string | undefined;
}

/** Reads the platform's settings from variables, then from `spec.platform` of runtime.yaml. */
export function readPlatform(
  reader: SettingReader,
  { spec }: RuntimeFile,
  { runtimeToken, senderKey }: SharedSecrets,
): PlatformConfig {
  const file = (name: "registration" | "run_timeout_seconds" | "runtime_url" | "allow_unpriced") => ({
    path: `spec.platform.${name}`,
    value: spec.platform?.[name],
  });
  const registration = reader.find({
    key: "platform.registration",
    file: file("registration"),
    read: oneOf(["open", "invite", "closed"] as const),
    expects: "open, invite or closed",
  });
  const runTimeoutSeconds = reader.get(
    {
      key: "platform.run_timeout_seconds",
      file: file("run_timeout_seconds"),
      read: asPositive,
      expects: "seconds",
    },
    120,
  );
  const durable = reader.get(
    {
      key: "runtime.durable",
      file: { path: "spec.runtime.durable", value: spec.runtime?.durable },
      read: asFlag,
      expects: "true or false",
    },
    true,
  );
  const allowUnpriced = reader.get(
    {
      key: "platform.allow_unpriced",
      file: file("allow_unpriced"),
      read: asFlag,
      expects: "true or false",
    },
    true,
  );
  const runtimeUrl = reader.find({
    key: "platform.runtime_url",
    file: file("runtime_url"),
    read: asHttpUrl,
    expects: "an http or https address",
  });
  const operatorToken = reader.find({
    key: "platform.operator_token",
    variables: ["PLATFORM_OPERATOR_TOKEN"],
    ...secretReading,
  });
  const url = reader.find({
    key: "platform.url",
    variables: ["ARGOSY_PLATFORM_URL"],
    read: asHttpUrl,
    expects: "an http or https address",
  });
  const gateway = readGatewayPeer(reader, senderKey);
  const mail = readMail(reader);
  const publicUrl = reader.find({
    key: "platform.public_url",
    variables: ["PLATFORM_PUBLIC_URL"],
    read: asHttpUrl,
    expects: "the http or https address at which people reach the console",
  });
  if (runtimeUrl !== undefined && runtimeToken === undefined) {
    reader.fault(
      "PLATFORM_RUNTIME_TOKEN",
      "must be set to the token of the daemon that spec.platform.runtime_url names",
    );
  }
  return {
    ...(registration === undefined ? {} : { registration }),
    runTimeoutSeconds,
    durable,
    allowUnpriced,
    ...(runtimeUrl === undefined ? {} : { runtimeUrl }),
    ...(url === undefined ? {} : { url }),
    ...(operatorToken === undefined ? {} : { operatorToken }),
    ...(gateway === undefined ? {} : { gateway }),
    ...(mail === undefined ? {} : { mail }),
    ...(publicUrl === undefined ? {} : { publicUrl: publicUrl.replace(/\/+$/, "") }),
  };
}

/** Both are needed: the server, which may have a login, and the address that mails come from. */
function readMail(reader: SettingReader): PlatformConfig["mail"] {
  const server = reader.find({
    key: "platform.smtp_url",
    variables: ["PLATFORM_SMTP_URL"],
    read: asMailServer,
    expects: "an address such as smtp://user:password@mail.example.com:587, or smtps://",
    secret: true,
  });
  const from = reader.find({
    key: "platform.smtp_from",
    variables: ["PLATFORM_SMTP_FROM"],
    read: (value: unknown) => (typeof value === "string" ? readSender(value) : undefined),
    expects: "an e-mail address such as Argosy <bills@example.com>",
  });
  if (server === undefined && from === undefined) return undefined;
  if (server !== undefined && from !== undefined) return { server, from };
  reader.fault("PLATFORM_SMTP_FROM", "must be set exactly where PLATFORM_SMTP_URL is");
  return undefined;
}

function asMailServer(value: unknown): MailServer | undefined {
  const url = typeof value === "string" ? URL.parse(value) : null;
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === "") return undefined;
  const isImplicit = url.protocol === "smtps:";
  const user = decodeURIComponent(url.username);
  return {
    host: url.hostname,
    port: url.port === "" ? (isImplicit ? 465 : 587) : Number(url.port),
    tls: isImplicit ? "implicit" : "auto",
    ...(user !== "" && { credentials: { user, password: decodeURIComponent(url.password) } }),
  };
}

/**
 * Reads the token with which a platform on another machine uses this daemon's internal routes, or this platform those of another daemon.
 */
export function readRuntimeToken(reader: SettingReader): string | undefined {
  return reader.find({
    key: "runtime_token",
    variables: ["PLATFORM_RUNTIME_TOKEN"],
    ...secretReading,
  });
}

/** The key alone is valid, because a gateway's own process uses it. The address without the key is a fault. */
function readGatewayPeer(reader: SettingReader, senderKey: string | undefined): PlatformConfig["gateway"] {
  const url = reader.find({
    key: "platform.gateway_url",
    variables: ["PLATFORM_GATEWAY_URL"],
    read: asHttpUrl,
    expects: "an http or https address",
  });
  if (url === undefined) return undefined;
  if (senderKey !== undefined) return { url, senderKey };
  reader.fault("GATEWAY_TRUSTED_SENDER_KEY", "must be set where PLATFORM_GATEWAY_URL is");
  return undefined;
}
