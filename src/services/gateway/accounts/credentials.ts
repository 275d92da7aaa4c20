import { type ChannelName, secretMask } from "../../../contracts/gateway/channels.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { SealContext, Sealer } from "../../../storage/sealing/seal.ts";
import type { SendingAccount } from "../outbox/message-sender.ts";
import type { GatewayTables } from "../tables.ts";

type AccountRow = GatewayTables["accounts"]["$inferSelect"];

/** The one credential of an account of each channel; undefined where there is none. */
const credentialOf: Readonly<Record<ChannelName, { name: string; form: RegExp; fault: string } | undefined>> =
  {
    phone_messenger: headerToken("access_token"),
    bot_messenger: {
      name: "bot_token",
      form: /^\d{1,20}:[\w-]{8,128}$/,
      fault: "must be a bot's token, such as 123456:ABC-DEF…",
    },
    photo_social: headerToken("access_token"),
    webchat: undefined,
    echo: undefined,
  };

function headerToken(name: string) {
  return { name, form: /^[\x21-\x7e]{8,4096}$/, fault: "must be 8 to 4096 ASCII characters without spaces" };
}

/** Checks the credentials of an account. Throws `invalid_request` (400). */
export function requireCredentials(channel: ChannelName, given: Readonly<Record<string, string>>): void {
  const wanted = credentialOf[channel];
  for (const [name, value] of Object.entries(given)) {
    if (name !== wanted?.name) {
      const names = wanted === undefined ? "has no credentials" : `takes ${wanted.name} only`;
      throw invalid(`credentials.${name}`, `is not a credential here: ${channel} ${names}`);
    }
    if (value.startsWith(secretMask)) {
      throw invalid(`credentials.${name}`, "is a masked value; send the secret itself");
    }
    if (!wanted.form.test(value)) throw invalid(`credentials.${name}`, wanted.fault);
  }
  if (wanted !== undefined && given[wanted.name] === undefined) {
    throw invalid(`credentials.${wanted.name}`, `is required for ${channel}`);
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
export function openAccount(sealer: Sealer | undefined, row: AccountRow): SendingAccount {
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
