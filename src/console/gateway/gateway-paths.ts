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
  outbox: within("/outbox"),
  trail: (id?: string) =>
    id === undefined ? within("/trail") : within(`/trail?id=${encodeURIComponent(id)}`),
  phone: (account?: string) =>
    account === undefined ? within("/phone") : within(`/phone?account=${encodeURIComponent(account)}`),
  /** The phones, with the dialog that connects them to an agent. */
  connectPhones: (tenant: string, agent: string) =>
    within(`/phone?${new URLSearchParams({ tenant, agent })}`),
};
