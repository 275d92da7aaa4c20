import { counted } from "../counted.ts";
import { isolated } from "../isolated.ts";

/** Texts of the platform's tenant pages. */
export const startTexts = {
  title: "Platform",
  lead: "Sign in with your platform account to see your tenants and agents.",
};

export const tenantPageTexts = {
  missingTitle: "Tenant not found",
  missingText: "The tenant was deleted or belongs to someone else. Choose one of your tenants.",
  toTenants: "Open your tenants",
  choose: "Choose a tenant",
  switcher: (name: string) => `Tenant: ${isolated(name)}. Switch to another`,
  switchTo: "Switch to",
  manage: "All tenants",
};

export const tenantsTexts = {
  title: "Tenants",
  lead: "Each tenant has its own agents, keys, connections and plan. You can have up to three tenants.",
  noneTitle: "No tenants yet",
  none: "A tenant has its own agents, API keys, plan and credits.",
  create: "New tenant",
  createAction: "Create tenant",
  created: (name: string) => `${isolated(name)} was created.`,
  name: "Name",
  nameHint: "Shown to people. You can change it at any time.",
  crName: "Code",
  actions: "Actions",
  current: "Last used",
  copyId: (name: string) => `Copy the id of ${isolated(name)}`,
  renameTitle: (name: string) => `Rename ${isolated(name)}`,
  renameAction: "Rename",
  renamed: (name: string) => `Renamed to ${isolated(name)}.`,
  remove: "Delete",
  deleteTitle: (name: string) => `Delete ${isolated(name)}`,
  deleteText:
    "API keys stop working at once, agents are deleted and subscriptions are cancelled. This cannot be undone.",
  deleteAction: "Delete tenant",
  deleted: (name: string) => `${isolated(name)} was deleted.`,
};

export const keyTexts = {
  title: "API keys",
  lead: (tenant: string) => `Keys for programs that run the agents of ${isolated(tenant)}.`,
  noneTitle: "No keys yet",
  none: "A key lets a program list and run this tenant's agents. It is shown once, when you create it.",
  create: "New key",
  createAction: "Create key",
  name: "Label",
  nameHint: "Describes where the key is used, for example “shop backend”.",
  hash: "Hash",
  madeBy: "Made by",
  byMachine: "this machine's owner",
  expires: "Expires",
  expiresHint:
    "The key is refused from the start of this day (UTC). Leave it empty for a key that does not expire.",
  createdAt: "Created",
  lastUsed: "Last used",
  never: "never",
  actions: "Actions",
  createdTitle: (label: string) => `The key “${isolated(label)}”`,
  onceTitle: "Copy the key now",
  once: "This key is shown only once. If you lose it, create a new one.",
  secret: "API key",
  copy: "Copy key",
  how: "Programs send it as the header X-API-Key.",
  kept: "I have copied the key",
  revoke: "Revoke",
  revokeTitle: (label: string) => `Revoke key “${isolated(label)}”`,
  revokeText: "Programs that use this key stop working at once. This cannot be undone.",
  revokeAction: "Revoke key",
  revoked: (label: string) => `“${isolated(label)}” was revoked.`,
};

export const connectionTexts = {
  title: "Connections",
  lead: (tenant: string) =>
    `Credentials for the tools of ${isolated(tenant)}'s agents. Stored secrets are never shown again.`,
  noneTitle: "No connections yet",
  none: "Tools use a connection to authenticate. Its secrets never appear in prompts, traces or logs.",
  add: "Add connection",
  name: "Name",
  nameHint: "The name used in agents, for example api_crm. Lower-case letters, digits, - and _.",
  nameTaken: (name: string) =>
    `A connection named ${isolated(name)} exists. Choose another name, or replace that connection.`,
  baseUrl: "Base URL",
  noBaseUrl: "No base URL: not used. Replace this connection.",
  baseUrlHint: "Secrets are sent only to addresses at or below this URL.",
  secrets: "Secrets",
  sealed: "Encrypted, never shown",
  updatedAt: "Changed",
  actions: "Actions",
  secretsHint:
    "By name: token (bearer), api_key (in X-API-Key, or the header named by header), username with password, or headers as a JSON object.",
  firstSecret: "token",
  secretName: "Name of the secret",
  secretValue: "Value",
  reveal: "Show value",
  removeSecret: (name: string) => `Remove ${name === "" ? "this secret" : name}`,
  addSecret: "Add secret",
  faults: {
    empty: "Fill in at least one secret.",
    nameless: "Name every secret.",
    twice: "Two secrets have the same name.",
  },
  save: "Save connection",
  saved: (name: string) => `${isolated(name)} was saved.`,
  replace: "Replace",
  replaceTitle: (name: string) => `Replace ${isolated(name)}`,
  replaceAction: "Replace secrets",
  remove: "Delete",
  deleteTitle: (name: string) => `Delete ${isolated(name)}`,
  deleteText:
    "This deletes the connection and its secrets. Tools that use it will fail. This cannot be undone.",
  deleteAction: "Delete connection",
  deleted: (name: string) => `${isolated(name)} was deleted.`,
};

export const agentListTexts = {
  title: "Agents",
  lead: (tenant: string) => `The agents of ${isolated(tenant)}, and what they used this month.`,
  noneTitle: "No agents yet",
  none: "An agent has a model, a prompt and tools. Start with a template.",
  create: "New agent",
  name: "Name",
  shownName: "Display name",
  version: "Version",
  runs: "Runs this month",
  credits: "Credits this month",
  updatedAt: "Changed",
  ask: "Ask",
  run: "Ask",
  askAgent: (name: string) => `Ask ${name}`,
};

/** Texts of the editor of a tenant's agent. */
export const tenantBuilderTexts = {
  newTitle: "New agent",
  newLead: "Choose a template, change it, and ask the agent beside the form. Creating it saves version 1.",
  up: "Agents",
  create: "Create",
  created: (name: string) => `${name} was created.`,
  title: (name: string) => `Edit ${name}`,
  lead: "Ask the agent beside the form as you change it. Saving makes a new version, which answers at once.",
  save: "Save new version",
  saved: (version: number) => `Version ${version} is now current.`,
  template: "Begin with",
  copyOf: (agent: string) => `Copy of ${agent} in the Studio`,
  templates: {
    plain: "A prompt and a model",
    documents: "Answers from documents",
    tools: "Tools",
    memory: "Conversation memory",
    approval: "A tool that needs approval",
  },
  trialHint: "Asks the agent as it is written here. The run is charged; the conversation is not stored.",
  figures: (tokens: number, duration: string) => `${counted(tokens, "token")} · ${duration}`,
  waits: "The run stops at a call that a person must approve.",
};

export const agentTexts = {
  channels: "Channels",
  channelsHint:
    "Connect an emulated phone to try the agent as a customer does, or bind it to an account of the gateway.",
  connectPhone: "Connect emulated phone",
  up: "Agents",
  versionMark: (version: number) => `Version ${version}`,
  run: "Ask",
  edit: "Edit",
  remove: "Delete",
  tabs: { overview: "Overview", versions: "Versions", runs: "Runs" },
  manifest: "Manifest",
  usage: "Usage",
  allTime: "All time",
  deleteTitle: (name: string) => `Delete ${name}`,
  deleteText:
    "The agent can no longer run. Its versions and runs stay readable, and its name becomes available. This cannot be undone.",
  deleteAction: "Delete agent",
  deleted: (name: string) => `${name} was deleted.`,
  deletedMark: "Deleted",
  deletedLead: "This agent can no longer run. Its versions and runs are kept.",
};

export const subscriptionTexts = {
  title: "Credits",
  none: "Runs use the tenant's credits.",
  has: "Runs also count toward the subscription",
  code: "Subscription code",
  codeHint: "The code of your subscription, for example shop. Ask your operator.",
  find: "Find subscription",
  plan: "Plan",
  since: "Since",
  credits: (period: string) => `Credits in ${period}`,
  of: (used: string, cap: string) => `${used} of ${cap}`,
  units: (used: string, included: string) => `${used} used, ${included} included`,
  nextPlan: "From next month",
  already: "This agent already uses this subscription.",
  use: "Use for this agent",
  used: "New runs of this agent count toward the subscription.",
  leave: "Use the base plan",
  left: "New runs of this agent count toward the base plan only.",
};

export const authorTexts = {
  you: "you",
  person: "another person",
  key: (hash: string) => `key ${hash}`,
};

export const versionTexts = {
  note: "Note",
  title: "Versions",
  from: "From",
  to: "To",
  version: "Version",
  createdAt: "Created",
  author: "By",
  checksum: "Checksum",
  actions: "Actions",
  current: "Current",
  compareFrom: (version: number) => `Compare from version ${version}`,
  compareTo: (version: number) => `Compare to version ${version}`,
  restore: "Restore",
  restoreTitle: (version: number) => `Restore version ${version}`,
  restoreText: (version: number, next: number) =>
    `Creates version ${next} with the manifest of version ${version} and makes it current. Other versions are kept.`,
  restoreAction: "Restore version",
  restored: (version: number, next: number) => `Version ${version} restored as version ${next}.`,
  diffTitle: (from: number, to: number) => `From version ${from} to ${to}`,
  diffView: "Diff format",
  asText: "As text",
  asFields: "By field",
  same: "Both versions are identical.",
  field: "Field",
  change: "Change",
  before: "Before",
  after: "After",
  changes: { added: "added", removed: "removed", changed: "changed" },
};
