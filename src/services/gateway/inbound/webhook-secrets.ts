import type { ChannelWebhook } from "../../../channels/channel.ts";
import { channels } from "../../../channels/channel-registry.ts";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import { openAccount } from "../accounts/credentials.ts";
import { type AccountRow, findExternal } from "../accounts/store.ts";
import type { GatewayStorage } from "../tables.ts";

/** What proves that a channel's provider calls. Without a secret, no signature is valid. */
export interface WebhookSecret {
  secret?: string | undefined;
  verifyToken?: string | undefined;
}

/** Registered channels. The webhooks of the others don't exist. */
export type WebhookSecrets = ReadonlyMap<ChannelName, WebhookSecret>;

export interface WebhookPorts {
  storage: GatewayStorage;
  sealer: Sealer | undefined;
  webhookSecrets: WebhookSecrets;
}

/** The webhook that an address names. */
export interface FoundWebhook extends WebhookSecret {
  channel: ChannelName;
  webhook: ChannelWebhook;
  /** The account that the address names, if it is known. */
  account: AccountRow | undefined;
}

/**
 * Finds the webhook of an address. An account with an app of its own has its own secret and verify token, which are valid at its own address
 * only. Throws 404 for a channel that is not registered.
 */
export async function getWebhook(
  { storage, sealer, webhookSecrets }: WebhookPorts,
  name: string,
  externalId: string | undefined,
): Promise<FoundWebhook> {
  const known = channels.get(name);
  if (known === undefined) throw notRegistered(name);
  const account =
    externalId === undefined
      ? undefined
      : await findExternal(storage.read, storage.tables, known.name, externalId);
  const own = account === undefined ? {} : ownSecret(sealer, account);
  const registered = webhookSecrets.get(known.name);
  if (registered === undefined && own.secret === undefined) throw notRegistered(name);
  return {
    channel: known.name,
    webhook: known.webhook,
    account,
    secret: own.secret ?? registered?.secret,
    verifyToken: own.verifyToken ?? registered?.verifyToken,
  };
}

/** False for an account with an app of its own whose secret is another one: the app that signed has no say in its events. */
export function mayBeSignedWith(
  sealer: Sealer | undefined,
  account: AccountRow,
  secret: string | undefined,
): boolean {
  const own = ownSecret(sealer, account).secret;
  return own === undefined || own === secret;
}

function ownSecret(sealer: Sealer | undefined, account: AccountRow): WebhookSecret {
  // The masked form tells which credentials there are, so that most accounts need not be opened.
  if (account.masked.app_secret === undefined) return {};
  const { app_secret: secret, verify_token: verifyToken } = openAccount(sealer, account).credentials;
  return { secret, verifyToken };
}

const notRegistered = (name: string) =>
  new AppError("not_found", "not_found", `The channel ${name.slice(0, 63)} is not registered.`);
