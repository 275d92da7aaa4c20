import { countSteps, type Work } from "../../kit/concurrency/others-turn.ts";
import { shownName } from "../inbound/delivered-text.ts";
import { fieldOf, itemsOf, textOf } from "../json-fields.ts";

/** Contacts of one change, by phone number and by user id. */
export interface ContactIndex {
  nameOf(phone: string | undefined, userId: string | undefined): string | undefined;
  /** The number that the provider names together with a user id. */
  phoneOf(userId: string | undefined): string | undefined;
  /** The user id that the provider names together with a number. */
  userIdOf(phone: string | undefined): string | undefined;
}

const stepsPerContact = 50;

/** Indexes the contacts, because a delivery may have thousands of them and as many messages. */
export function* indexContacts(value: unknown): Work<ContactIndex> {
  const byPhone = new Map<string, string>();
  const byUserId = new Map<string, string>();
  const phones = new Map<string, string>();
  const userIds = new Map<string, string>();
  for (const contact of itemsOf(value, "contacts")) {
    if (countSteps(stepsPerContact)) yield;
    const phone = textOf(contact, "wa_id");
    const userId = textOf(contact, "user_id");
    if (phone !== undefined && userId !== undefined) {
      addFirst(phones, userId, phone);
      addFirst(userIds, phone, userId);
    }
    const name = shownName(textOf(fieldOf(contact, "profile"), "name"));
    if (name === undefined) continue;
    addFirst(byPhone, phone, name);
    addFirst(byUserId, userId, name);
  }
  return {
    nameOf: (phone, userId) =>
      (phone === undefined ? undefined : byPhone.get(phone)) ??
      (userId === undefined ? undefined : byUserId.get(userId)),
    phoneOf: (userId) => (userId === undefined ? undefined : phones.get(userId)),
    userIdOf: (phone) => (phone === undefined ? undefined : userIds.get(phone)),
  };
}

function addFirst(names: Map<string, string>, key: string | undefined, name: string): void {
  if (key !== undefined && !names.has(key)) names.set(key, name);
}
