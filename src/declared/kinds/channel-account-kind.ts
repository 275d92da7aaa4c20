import type { Account, AccountInput } from "../../contracts/gateway/accounts.ts";
import { gatewayOf, type WorkspaceKind } from "../workspace-kind.ts";

export const accountType = "gateway.account";

export const accountName = ({ channel, external_id }: { channel: string; external_id: string }): string =>
  `${channel}/${external_id}`;

/** The tenant's accounts at the gateway. */
export const channelAccountKind: WorkspaceKind = {
  type: accountType,
  async observe(target, named) {
    const { accounts } = await gatewayOf(target).listAccounts(target.tenantId);
    const names = new Set(named.map(({ name }) => name));
    return accounts.filter((account) => names.has(accountName(account))).map(present);
  },
  async create(target, declared) {
    await gatewayOf(target).saveAccount(inputOf(target.tenantId, declared));
  },
  async update(target, declared) {
    await gatewayOf(target).saveAccount(inputOf(target.tenantId, declared));
  },
  async delete(target, { id }) {
    await gatewayOf(target).deleteAccount(id);
  },
};

const present = (account: Account) => {
  const { id, channel, external_id, emulated, credentials } = account;
  return {
    type: accountType,
    name: accountName(account),
    id,
    config: { channel, external_id, emulated },
    masks: new Map(Object.entries(credentials).map(([name, mask]) => [`credentials.${name}`, mask])),
    loss: `Deleting account ${accountName(account)} deletes its conversations' way to the provider; waiting messages fail.`,
  };
};

function inputOf(
  tenant_id: string,
  { config, secrets }: { config: Readonly<Record<string, unknown>>; secrets: ReadonlyMap<string, string> },
): AccountInput {
  const { channel, external_id, emulated } = config as unknown as AccountInput;
  const credentials = Object.fromEntries(
    [...secrets].map(([path, secret]) => [path.slice("credentials.".length), secret]),
  );
  return { tenant_id, channel, external_id, credentials, ...(emulated !== undefined && { emulated }) };
}
