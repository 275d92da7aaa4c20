import type { AddressKind } from "../../../contracts/gateway/contacts.ts";
import { counted } from "../counted.ts";
import { isolated } from "../isolated.ts";

/** Texts of the contacts: persons and groups, with all their addresses. */
export const contactTexts = {
  title: "Contacts",
  lead: "Persons and groups who wrote or got messages. Each has all addresses that its provider named.",
  search: "Search names and numbers",
  none: "Nobody wrote yet.",
  noMatch: "No contact matches.",
  missing: "There is no such contact. It may have been forgotten.",
  name: "Name",
  unnamed: "No name",
  address: "Addresses",
  channel: "Channel",
  tenant: "Tenant",
  created: "First seen",
  seen: "Last seen",
  labels: "Labels",
  notes: "Notes",
  noNotes: "No notes.",
  nobody: "Unnamed operator",
  about: "About the contact",
  conversations: "Conversations",
  noConversations: "No conversations.",
  conversation: (number: number) => `Conversation ${number}`,
  forget: "Forget contact",
  forgetTitle: (name: string) => `Forget ${isolated(name)}?`,
  forgetText: (conversations: number) =>
    `Deletes the contact, ${counted(conversations, "conversation")} with messages, files, and notes, and what agents remember of it. This cannot be undone. What it wrote in groups stays.`,
  forgotten: "The contact is forgotten.",
  forgottenLater: "The contact is gone. The gateway is still deleting what is left of it.",
  kinds: {
    phone: "Phone number",
    bsuid: "WhatsApp id",
    chat: "Chat id",
    scoped: "Instagram id",
    visitor: "Visitor id",
    spelling: "As first written",
  } satisfies Record<AddressKind, string>,
};
