import { idOf } from "../inbound/delivered-text.ts";
import type { Addressed } from "../inbound/inbound-event.ts";
import { fieldOf, itemsOf, textOf } from "../json-fields.ts";

const entitiesMax = 100;

/** Reads whom a message of a group addresses: those that it mentions or answers, and the bot that its command names, or us. */
export function readAddressed(message: unknown): Addressed {
  const text = textOf(message, "text") ?? textOf(message, "caption") ?? "";
  const field = textOf(message, "text") === undefined ? "caption_entities" : "entities";
  const ids = [repliedBot(message)];
  const names: string[] = [];
  let us: true | undefined;
  for (const entity of itemsOf(message, field).slice(0, entitiesMax)) {
    const [type, offset, length] = [
      textOf(entity, "type"),
      fieldOf(entity, "offset"),
      fieldOf(entity, "length"),
    ];
    if (typeof offset !== "number" || typeof length !== "number") continue;
    const part = text.slice(offset, offset + length);
    if (type === "mention") names.push(part.slice(1).toLowerCase());
    if (type === "text_mention") ids.push(idOf(fieldOf(entity, "user"), "id"));
    if (type !== "bot_command" || offset !== 0) continue;
    const bot = part.split("@")[1];
    if (bot === undefined) us = true;
    else names.push(bot.toLowerCase());
  }
  const known = ids.filter((id) => id !== undefined);
  return {
    ...(us && { us }),
    ...(known.length > 0 && { ids: known }),
    ...(names.length > 0 && { names }),
  };
}

/** The message that one answers; each message of a topic names the one that opened the topic, which it doesn't answer. */
export function repliedMessage(message: unknown): unknown {
  const replied = fieldOf(message, "reply_to_message");
  return fieldOf(replied, "forum_topic_created") === undefined ? replied : undefined;
}

function repliedBot(message: unknown): string | undefined {
  const from = fieldOf(repliedMessage(message), "from");
  return fieldOf(from, "is_bot") === true ? idOf(from, "id") : undefined;
}
