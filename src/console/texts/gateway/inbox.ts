import { counted } from "../counted.ts";
import { isolated } from "../isolated.ts";

const kinds: Readonly<Record<string, string>> = {
  text: "Empty message",
  image: "Picture",
  video: "Video",
  audio: "Audio",
  document: "Document",
  sticker: "Sticker",
  link: "Link",
  location: "Location",
  contact: "Contact",
  button: "Button",
  reaction: "Reaction",
  order: "Order",
  template: "Template",
};

const statuses: Readonly<Record<string, string>> = {
  pending: "Waiting",
  sending: "Sending",
  sent: "Sent ✓",
  delivered: "Delivered ✓✓",
  read: "Read ✓✓",
  played: "Played ✓✓",
  failed: "Failed – why?",
};

/** Texts of the inbox. */
export const inboxTexts = {
  title: "Inbox",
  lead: "Conversations of all channels. Take one over to answer it yourself.",
  list: "Conversations",
  conversation: "Conversation",
  messages: "Messages",
  view: "Show",
  views: { all: "All", unread: "Unread", human: "People", bot: "Agent" },
  search: "Search by name or address",
  noneTitle: "No conversations yet",
  none: "They appear here when a user writes to one of your accounts.",
  noMatch: "No conversation matches these filters.",
  allRead: "You have read everything.",
  tryPhone: "Write from the emulated phone",
  chooseOne: "Choose a conversation.",
  keys: "J and K move through the list, T takes over or releases, R writes a reply.",
  more: "Show more",
  earlier: "Show earlier messages",
  noMessages: "Messages of this conversation are no longer stored.",
  held: "Person",
  unread: (count: number) => `${counted(count, "unread message")}`,
  you: (text: string) => `→ ${text}`,
  kindOf: (kind: string) => kinds[kind] ?? kind,
  status: (status: string) => statuses[status] ?? status,
  /** Effect of a reaction on the run that wrote the message. */
  reaction: (rating: "up" | "down" | null) =>
    rating === "up" ? "Good answer" : rating === "down" ? "Bad answer" : "Reaction",
  modes: { bot: "Agent answers", human: "A person answers" },
  takeOver: "Take over",
  release: "Release to agent",
  details: "Details",
  back: "Back to the list",
  servedBy: (agent: string) => `served by ${isolated(agent)}`,
  address: "Address",
  tenant: "Tenant",
  session: "Session",
  since: "Since",
  trail: "Message trail",
  whereAre: "Where are this user's messages?",
  reply: "Reply",
  replyPlaceholder: "Write a reply",
  agentAnswersToo: "The agent answers this conversation too. Take over to stop it from answering.",
  send: "Send",
};
