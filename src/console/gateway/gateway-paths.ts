import type { ChannelName } from "../../contracts/gateway/channels.ts";

const within = (path: string) => `/gateway${path}`;

/** Addresses of the gateway's pages. */
export const gatewayPaths = {
  stats: within(""),
  inbox: within("/inbox"),
  conversation: (id: string) => within(`/inbox?c=${encodeURIComponent(id)}`),
  contacts: within("/contacts"),
  contact: (id: string) => within(`/contacts/${encodeURIComponent(id)}`),
  accounts: within("/accounts"),
  account: (id: string) => within(`/accounts/${encodeURIComponent(id)}`),
  /** The accounts, with the dialog that adds one of a channel, for an agent of a tenant. */
  newAccount: (channel: ChannelName, tenant: string, agent: string) =>
    within(`/accounts?${new URLSearchParams({ new: channel, of: tenant, agent })}`),
  /** An account, with the dialog that binds it to an agent. */
  bindAccount: (id: string, agent: string) =>
    within(`/accounts/${encodeURIComponent(id)}?${new URLSearchParams({ agent })}`),
  outbox: within("/outbox"),
  reports: within("/reports"),
  trail: (id?: string) =>
    id === undefined ? within("/trail") : within(`/trail?id=${encodeURIComponent(id)}`),
  phone: (account?: string) =>
    account === undefined ? within("/phone") : within(`/phone?account=${encodeURIComponent(account)}`),
  /** The phones, with the dialog that connects them to an agent. */
  connectPhones: (tenant: string, agent: string) =>
    within(`/phone?${new URLSearchParams({ tenant, agent })}`),
};
