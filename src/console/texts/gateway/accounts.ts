import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import { isolated } from "../isolated.ts";

/** Texts of accounts and their bindings. */
export const accountTexts = {
  title: "Accounts",
  lead: "An account is a tenant's address on a channel. Its binding says who answers.",
  noneTitle: "Connect the first channel",
  none: "Add a WhatsApp number, a Telegram bot, an Instagram account or a web chat, and choose the agent that answers. To try it without a provider, use the emulated phone.",
  noMatch: "No account matches these filters.",
  tryPhone: "Use the emulated phone",
  add: "New account",
  addAction: "Create account",
  saved: (name: string) => `${isolated(name)} was saved.`,
  credentialNew: "new, hidden",
  credentialRemoved: "none",
  channel: "Channel",
  tenant: "Tenant",
  tenantHint: "The tenant's id on the platform, or any name for one that only sends.",
  noTenants: "The platform has no tenant yet.",
  createTenant: "Create a tenant",
  externalId: "External id",
  answeredBy: "Answered by",
  status: "Status",
  created: "Created",
  emulated: "Emulated",
  emulatedHint: "Messages go to the emulated phone instead of the provider.",
  exists: (name: string) =>
    `${isolated(name)} has an account already. Nothing was changed. To enter other credentials, open it and choose “Replace credentials”.`,
  openExisting: (name: string) => `Open the account ${isolated(name)}`,
  callback: "Callback",
  nobody: "Not bound",
  replace: "Replace credentials",
  replaceTitle: (name: string) => `Replace the credentials of ${isolated(name)}`,
  replaceAction: "Save credentials",
  credentials: "Credentials",
  credentialsHint: "Sealed before they are stored. Only the last four characters are shown again.",
  noCredentials: "This channel needs no credentials.",
  pause: "Pause",
  pauseTitle: (name: string) => `Pause ${isolated(name)}?`,
  pauseText:
    "The account sends nothing until you resume it. Messages wait in the outbox. Messages from users still arrive.",
  paused: (name: string) => `${isolated(name)} is paused.`,
  resume: "Resume",
  resumed: (name: string) => `${isolated(name)} sends again.`,
  remove: "Delete",
  removeTitle: (name: string) => `Delete ${isolated(name)}?`,
  removeText:
    "Deletes the account, its credentials and its binding. Messages that wait for it fail. Conversations stay. This cannot be undone.",
  removeAction: "Delete account",
  removed: (name: string) => `${isolated(name)} was deleted.`,
  openPhone: "Open the phone",
  openInbox: "Conversations",
  webhook: "Webhook",
  webhookHint: "Enter these at the provider.",
  webhookUrl: "Webhook URL",
  verifyToken: "Verify token",
  noVerifyToken: "none on this channel",
  noBaseUrl:
    "Set GATEWAY_PUBLIC_BASE_URL to the gateway's public address to see the whole URL. Its path is shown here.",
  registeredBot: "The gateway registered this address at Telegram when the account was saved.",
  widget: "Visitors write through the widget on your site. Put this tag on its pages:",
  widgetTag: "Tag for your pages",
  website: "Website",
  origins: "Websites that may show the chat",
  originsHint: "Scheme, host and port, each added with Enter. No other page can open the chat.",
  saveOrigins: "Save websites",
  originsSaved: "The websites were saved.",
  widgetAddress: "https://your-gateway.example",
  emulatedWebhook: "An emulated account needs no webhook: the emulated phone delivers its messages.",
  state: {
    healthy: "Healthy",
    paused: "Paused",
    unbound: "Not bound",
    refused: "No deliveries",
  },
  stateHint: {
    healthy: "The account receives and sends.",
    unbound: "Nothing answers messages to this account. Bind it to an agent or a callback.",
    refused: (variables: string) =>
      `The gateway refuses deliveries of this channel. Set ${variables}, then restart the server.`,
  },
  seals: "Accounts can't be stored, because no sealing key is configured. Set ARGOSY_SEALING_KEYS.",
  facts: "Account",
  accountId: "Account id",
  missing: "The account does not exist. It may have been deleted.",
};

/** Variables that let a channel's deliveries in. */
export const channelVariables: Readonly<Record<ChannelName, string>> = {
  phone_messenger: "GATEWAY_PHONE_APP_SECRET and GATEWAY_PHONE_VERIFY_TOKEN",
  photo_social: "GATEWAY_PHOTO_APP_SECRET and GATEWAY_PHOTO_VERIFY_TOKEN",
  bot_messenger: "GATEWAY_BOT_WEBHOOK_SECRET and GATEWAY_PUBLIC_BASE_URL",
  webchat: "GATEWAY_ENABLE_WEBCHAT=true",
  echo: "GATEWAY_ENABLE_ECHO=true",
};

/** The external id of each channel, as its provider calls it. */
export const externalIdHints: Readonly<Record<ChannelName, string>> = {
  phone_messenger: "The phone number id of the WhatsApp Business API, such as 106540352242922.",
  bot_messenger: "The bot id: the digits before the colon of its token.",
  photo_social: "The id of the Instagram professional account.",
  webchat: "A name of your own, such as tea-shop. Pages name it in the widget's tag.",
  echo: "A name of your own.",
};

/** Labels of credentials. */
export const credentialTexts: Readonly<Record<string, { label: string; hint: string }>> = {
  access_token: { label: "Access token", hint: "8 characters or more, without spaces." },
  bot_token: { label: "Bot token", hint: "From @BotFather, such as 123456:ABC-DEF…" },
  app_secret: {
    label: "App secret (optional)",
    hint: "Only for an account with a Meta app of its own. 32 characters or more.",
  },
  verify_token: {
    label: "Verify token (optional)",
    hint: "Belongs to the app secret: enter both or none.",
  },
};

/** Texts of bindings. */
export const bindingTexts = {
  title: "Who answers",
  noneText: "Bind the account to an agent of the tenant, or forward its messages to a program of yours.",
  bind: "Bind",
  change: "Change",
  bindTitle: (name: string) => `Who answers ${isolated(name)}?`,
  save: "Save binding",
  saved: "The binding was saved.",
  kind: "Answer by",
  agent: "An agent",
  callback: "A callback",
  entryAgent: "Agent",
  entryAgentHint: "Name of an agent of this tenant on the platform.",
  noAgents: "This tenant has no agent yet.",
  createAgent: "Create an agent",
  apiKey: "API key of the tenant",
  apiKeyHint: "A key of the tenant on the platform. It runs the agent.",
  apiKeyLabel: "Gateway",
  createKey: "Create key",
  newKey: "New API key",
  keyCreated: "Key created and filled in",
  keyOnce:
    "The key is shown only here. Copy it if other programs need it. The tenant's API keys list it as “Gateway”.",
  copyKey: "Copy key",
  keptHint: (masked: string) => `Stored: ${masked}. Leave empty to keep it.`,
  fallback: "Fallback message",
  fallbackHint: "Sent when a run fails. Empty sends nothing.",
  callbackUrl: "Callback URL",
  callbackUrlHint: "Each message is posted there as JSON.",
  callbackSecret: "Callback secret (optional)",
  callbackSecretHint: "Signs each post: X-Gateway-Signature-256.",
  askContact: "Offer the button that shares the phone number",
  unbind: "Unbind",
  unbindTitle: (name: string) => `Unbind ${isolated(name)}?`,
  unbindText: "Messages to this account are recorded and get no answer.",
  unbindAction: "Unbind account",
  unbound: "The binding was deleted.",
  checked: "The platform is asked for the agent with this key before the binding is stored.",
  updated: "Changed",
  none: "none",
};
