import { counted } from "../counted.ts";
import { isolated } from "../isolated.ts";

/** Texts of the field for a reply: files, templates and canned replies. */
export const replyTexts = {
  reply: "Reply",
  placeholder: "Write a reply; / for canned replies",
  keys: "Ctrl+Enter",
  send: "Send",
  agentAnswersToo: "The agent answers this conversation too. Take over to stop it from answering.",
  attach: "Attach files",
  files: "Files of this reply",
  dropHere: "Drop the files to attach them.",
  remove: (name: string) => `Remove ${isolated(name)}`,
  uploading: (name: string, share: string) => `Uploading ${isolated(name)}: ${share}`,
  tooMany: (max: number) => `A reply has at most ${counted(max, "file")}.`,
  kinds: { image: "images", audio: "audio files", video: "videos", document: "documents" },
  emptyFile: (name: string) => `${isolated(name)} is empty.`,
  kindRefused: (name: string, channel: string, kinds: string) =>
    `${channel} takes no ${kinds}, so ${isolated(name)} can't be sent.`,
  tooLarge: (name: string, size: string, channel: string, kinds: string, max: string) =>
    `${isolated(name)} has ${size}. ${channel} takes ${kinds} of at most ${max}.`,
  noAddress: (channel: string) =>
    `${channel} fetches files from the gateway, which has no public address. Set GATEWAY_PUBLIC_BASE_URL to send files.`,
  canned: "Canned replies",
  noCanned: "No canned reply has this name.",
  manageCanned: "Edit canned replies",
  cannedLead: "Texts for all who answer this tenant's users. Type / in the reply field to insert one.",
  cannedNone: "No canned replies yet.",
  cannedName: "Name",
  cannedText: "Text",
  cannedHint:
    "{{name}}, {{address}}, {{agent}} and {{person}} become the user's name and address, the agent and you.",
  saveCanned: "Save canned reply",
  deleteCanned: (name: string) => `Delete ${isolated(name)}`,
  window: {
    open: (left: string) => `Free text for ${left}`,
    short: (left: string) => `${left} left`,
    closed: "The 24-hour window is closed: the provider takes templates only until the user writes again.",
    closedNoTemplates:
      "The 24-hour window is closed: the provider takes no message until the user writes again.",
    closedShort: "Window closed",
    unknown: "The user never wrote here, so the provider may take templates only.",
  },
  writeAnyway: "Write free text anyway",
  useTemplate: "Send a template",
  backToText: "Write text",
  template: "Template",
  chooseTemplate: "Choose a template",
  noTemplates: "The account has no approved template.",
  language: "Language",
  preview: "Preview",
  sendTemplate: "Send template",
  needsFile: (kind: string) => `The header of this template needs a file (${kind}). Send it by the API.`,
  where: {
    header: (name: string) => `Header: {{${name}}}`,
    body: (name: string) => `{{${name}}}`,
    button: (name: string) => `Address of the button: {{${name}}}`,
  },
  newMessage: "New message",
  newTitle: "Message to a user",
  tenant: "Tenant",
  account: "Account",
  to: "To",
  toHint: "A phone number, chat id, or another address of the channel.",
  message: "Message",
  paused: " (paused)",
  noAccounts: "This tenant has no account.",
};
