import type { OutboxAccount } from "../../../channels/outbox/message-sender.ts";
import { type ChannelName, secretMask } from "../../../contracts/gateway/channels.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { SealContext, Sealer } from "../../../storage/sealing/seal.ts";
import type { GatewayTables } from "../tables.ts";

type AccountRow = GatewayTables["accounts"]["$inferSelect"];

interface Credential {
  isRequired: boolean;
  form: RegExp;
  fault: string;
}

type Credentials = Readonly<Record<string, Credential>>;

const token: Credential = {
  isRequired: true,
  form: /^[\x21-\x7e]{8,4096}$/,
  fault: "must be 8 to 4096 ASCII characters without spaces",
};

/** Credentials of an account of Meta. One that belongs to an app of its own has that app's secret and verify token besides. */
const ofMeta: Credentials = {
  access_token: token,
  app_secret: {
    isRequired: false,
    form: /^[\x21-\x7e]{32,4096}$/,
    fault: "must be 32 to 4096 ASCII characters without spaces",
  },
  verify_token: {
    isRequired: false,
    form: /^[\x21-\x7e]{1,512}$/,
    fault: "must be 1 to 512 ASCII characters without spaces",
  },
};

/** Credentials of an account of each channel, by name. */
const credentialsOf: Readonly<Record<ChannelName, Credentials>> = {
  phone_messenger: ofMeta,
  bot_messenger: {
    bot_token: {
      isRequired: true,
      form: /^\d{1,20}:[\w-]{8,128}$/,
      fault: "must be a bot's token, such as 123456:ABC-DEF…",
    },
  },
  photo_social: ofMeta,
  webchat: {},
  echo: {},
};

/** Checks the credentials of an account. Throws `invalid_request` (400). */
export function requireCredentials(channel: ChannelName, given: Readonly<Record<string, string>>): void {
  const wanted = credentialsOf[channel];
  const names = Object.keys(wanted);
  for (const [name, value] of Object.entries(given)) {
    const credential = Object.hasOwn(wanted, name) ? wanted[name] : undefined;
    if (credential === undefined) {
      const taken = names.length === 0 ? "has no credentials" : `takes ${names.join(", ")} only`;
      throw invalid(`credentials.${name}`, `is not a credential here: ${channel} ${taken}`);
    }
    if (value.startsWith(secretMask)) {
      throw invalid(`credentials.${name}`, "is a masked value; send the secret itself");
    }
    if (!credential.form.test(value)) throw invalid(`credentials.${name}`, credential.fault);
  }
  for (const [name, { isRequired }] of Object.entries(wanted)) {
    if (isRequired && given[name] === undefined) {
      throw invalid(`credentials.${name}`, `is required for ${channel}`);
    }
  }
  if ((given.app_secret === undefined) !== (given.verify_token === undefined)) {
    const missing = given.app_secret === undefined ? "app_secret" : "verify_token";
    throw invalid(`credentials.${missing}`, "is required: app_secret and verify_token belong together");
  }
}

/** Shows a secret by its last four characters. One of fewer than eight would be half shown, so nothing of it is. */
export const masked = (secret: string): string =>
  secret.length < 8 ? secretMask : `${secretMask}${secret.slice(-4)}`;

/** Sealing context of an account's credentials. They open only for the same tenant and account. */
export const accountSeal = (tenant: string, id: string): SealContext => ({
  purpose: "gateway_account",
  tenant,
  name: id,
});

/** Returns an account with its credentials opened. */
export function openAccount(sealer: Sealer | undefined, row: AccountRow): OutboxAccount {
  const { id, tenantId, channel, externalId, emulated } = row;
  const opened = requireSealer(sealer).open(row.credentials, accountSeal(tenantId, id));
  return { id, tenantId, channel, externalId, emulated, credentials: JSON.parse(opened) };
}

/** Throws `sealing_key_missing` (503) if there are no keys. */
export function requireSealer(sealer: Sealer | undefined): Sealer {
  if (sealer !== undefined) return sealer;
  throw new AppError(
    "unavailable",
    "sealing_key_missing",
    "Credentials can't be stored, because no sealing key is configured.",
    { details: { hint: "Set ARGOSY_SEALING_KEYS; `argosy secrets init --print` makes one." } },
  );
}

const invalid = (path: string, message: string) =>
  new AppError("invalid", "invalid_request", `The body is not valid: ${path} ${message}.`, {
    details: { problems: [{ path, message }] },
  });
