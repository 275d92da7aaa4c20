import { firstFreeName } from "../../../contracts/free-name.ts";
import type { Account } from "../../../contracts/gateway/accounts.ts";
import type { Binding } from "../../../contracts/gateway/bindings.ts";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { gatewayAdminClient } from "../../../contracts/gateway/client.ts";
import type { Tagged } from "../../../contracts/tagged.ts";

type Gateway = Pick<
  ReturnType<typeof gatewayAdminClient>,
  "listAccounts" | "listBindings" | "readBinding" | "saveAccount" | "createBinding" | "changeBinding"
>;

/** The emulated account of a channel, as the gateway has it, or the name for a new one. */
export interface Phone {
  channel: ChannelName;
  /** Absent if the tenant has none yet. */
  account?: Account;
  /** Absent if nobody answers the account. */
  binding?: Tagged<Binding>;
  /** External id that a new account gets. */
  name: string;
}

/** Who answers the phones from now on. */
export interface PhoneAnswer {
  tenant: string;
  agent: string;
  /** The tenant's API key for the platform. */
  key: string;
}

/** Credentials of new accounts, by channel. They have the right form and open nothing. */
const credentialsFor: Readonly<Record<string, (name: string) => Record<string, string>>> = {
  webchat: () => ({}),
  photo_social: () => ({ access_token: "emulated-token" }),
  bot_messenger: (name) => ({ bot_token: `${name}:emulated-token` }),
  phone_messenger: () => ({ access_token: "emulated-token" }),
};

const channels: readonly ChannelName[] = ["webchat", "photo_social", "bot_messenger", "phone_messenger"];

/** Reads the tenant's emulated account of each channel, with its binding. */
export async function readPhones(gateway: Gateway, tenant: string): Promise<Phone[]> {
  const [{ accounts }, { bindings }] = await Promise.all([
    gateway.listAccounts(tenant),
    gateway.listBindings(tenant),
  ]);
  return Promise.all(
    channels.map(async (channel) => {
      const own = accounts.filter((account) => account.channel === channel);
      const account = own.find(({ emulated }) => emulated);
      const name = freeName(
        channel,
        tenant,
        own.map(({ external_id }) => external_id),
      );
      if (account === undefined) return { channel, name };
      const bound = bindings.find(({ account_id }) => account_id === account.id);
      if (bound === undefined) return { channel, name, account };
      return { channel, name, account, binding: await gateway.readBinding(bound.id) };
    }),
  );
}

/** Creates the accounts that are missing, and binds all to the agent. Throws 412 if a binding was changed since it was read. */
export async function savePhones(
  gateway: Gateway,
  phones: readonly Phone[],
  { tenant, agent, key }: PhoneAnswer,
): Promise<void> {
  for (const { channel, account, binding, name } of phones) {
    const answer = { entry_agent: agent, config: { platform_api_key: key } };
    if (binding !== undefined) {
      await gateway.changeBinding(binding.value.id, answer, binding.tag);
      continue;
    }
    const { id } =
      account ??
      (await gateway.saveAccount({
        tenant_id: tenant,
        channel,
        external_id: name,
        credentials: credentialsFor[channel]?.(name) ?? {},
        emulated: true,
      }));
    await gateway.createBinding({ tenant_id: tenant, account_id: id, ...answer });
  }
}

/** Returns who answers each phone, as YAML: `webchat: helper`. */
export const phonesText = (phones: readonly Phone[], agent?: string): string =>
  phones.map(({ channel, binding }) => `${channel}: ${agent ?? answering(binding) ?? "null"}\n`).join("");

/** Returns the agents that answer now, each once. */
export const answeringAgents = (phones: readonly Phone[]): string[] => [
  ...new Set(phones.flatMap(({ binding }) => answering(binding) ?? [])),
];

const answering = (binding?: Tagged<Binding>) => binding?.value.entry_agent ?? undefined;

/** External ids are unique in the gateway, and a bot's is a number. */
function freeName(channel: ChannelName, tenant: string, taken: readonly string[]): string {
  const names = (count: number) =>
    channel === "bot_messenger"
      ? String(1_000_000 + ((numberOf(tenant) + count) % 8_999_999_999))
      : `demo-${tenant}${count === 0 ? "" : `-${count + 1}`}`.slice(-255);
  return firstFreeName(
    (number) => names(number - 1),
    (name) => taken.includes(name),
    taken.length,
  );
}

/** A number that two tenants are unlikely to share. */
const numberOf = (tenant: string): number =>
  [...tenant].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 8_999_999_999, 7);
