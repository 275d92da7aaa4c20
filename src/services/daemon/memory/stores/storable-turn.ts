import type { ConversationSummary, SessionKey, Turn } from "../../../../engine/memory/conversation.ts";
import {
  exactInteger,
  jsonText,
  refuseUnstorableText,
  storableInstant,
  storableJson,
  storableText,
} from "../../../../storage/tables/column-values.ts";

/** Maximum length of a stored turn, in UTF-16 units. The rest of a longer answer is cut off. */
export const contentCharsMax = 8 * 1024 * 1024;

/** Returns the turn as it is stored. Models and tools may produce text that a database can't store. */
export function storableTurn(turn: Turn): Turn {
  const metadata = storableJson(turn.metadata);
  if (turn.content.length <= contentCharsMax)
    return { ...turn, content: storableText(turn.content), metadata };
  return {
    ...turn,
    content: storableText(turn.content.slice(0, contentCharsMax)),
    metadata: { ...metadata, cut_from_characters: turn.content.length },
  };
}

/** Like `storableTurn`, but refuses values that a database's columns would refuse. For stores without columns. */
export function checkedTurn(turn: Turn): Turn {
  const storable = storableTurn(turn);
  exactInteger(storable.tokenCount);
  storableInstant(storable.at);
  return { ...storable, metadata: JSON.parse(jsonText(storable.metadata)) };
}

/** Refuses names that a database can't store. */
export function checkedKey<Key extends Partial<SessionKey>>(key: Key): Key {
  refuseUnstorableText(Object.values(key));
  return key;
}

export function storableSummary(summary: ConversationSummary): ConversationSummary {
  return { ...summary, text: storableText(summary.text) };
}
