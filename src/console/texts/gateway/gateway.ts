import type { ChannelName } from "../../../contracts/gateway/channels.ts";

/** Names of the channels as people know them. */
export const channelTexts: Readonly<Record<ChannelName, string>> = {
  phone_messenger: "WhatsApp",
  bot_messenger: "Telegram",
  photo_social: "Instagram",
  webchat: "Web chat",
  echo: "Echo",
};

/** Texts of the gateway in the frame, and those that its pages share. */
export const gatewayTexts = {
  title: "Gateway",
  token: "gateway admin token (GATEWAY_ADMIN_TOKEN)",
  talk: "Conversations",
  connect: "Connect",
  watch: "Watch",
  stats: "Overview",
  inbox: "Inbox",
  contacts: "Contacts",
  accounts: "Accounts",
  outbox: "Outbox",
  reports: "Reports",
  trail: "Message trail",
  phone: "Emulated phone",
  anyTenant: "All tenants",
  anyChannel: "All channels",
  chooseTenant: "Choose a tenant",
  tenant: "Tenant",
  channel: "Channel",
  account: "Account",
  live: "Live",
  notLive: "Not live",
  connecting: "Connecting…",
  liveHint: "New messages appear by themselves.",
  connectingHint: "The stream of new messages is interrupted. It reconnects by itself.",
};
