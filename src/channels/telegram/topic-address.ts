import { addressOf, idOf } from "../inbound/delivered-text.ts";
import type { Address } from "../inbound/inbound-event.ts";
import { fieldOf } from "../json-fields.ts";

/** Topic that all messages outside of topics belong to; the provider doesn't take its number. */
const general = "1";

/** Returns the address of a message's chat: of its topic, if it is in one. In other threads, which replies form, the chat is answered. */
export function chatAddress(message: unknown): Address | undefined {
  const chat = addressOf("id", idOf(fieldOf(message, "chat"), "id"));
  const topic = idOf(message, "message_thread_id");
  const isTopic = fieldOf(message, "is_topic_message") === true && topic !== undefined && topic !== general;
  return chat !== undefined && isTopic ? addressOf("id", `${chat.address}/${topic}`) : chat;
}

/** Returns the fields that name an address in a call. */
export function targetOf({ address }: Address): { chat_id: string; message_thread_id?: number } {
  const { chat, topic } = partsOf(address);
  return { chat_id: chat, ...(topic !== undefined && { message_thread_id: Number(topic) }) };
}

/** The chat of an address, which limits the rate of all its topics. */
export const chatOf = (address: string): string => partsOf(address).chat;

function partsOf(address: string): { chat: string; topic: string | undefined } {
  const [, chat, topic] = /^(.+)\/(\d{1,15})$/.exec(address) ?? [];
  return { chat: chat ?? address, topic };
}
