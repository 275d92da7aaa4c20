import type { SessionKey, Turn } from "../../../engine/memory/conversation.ts";
import type { ConversationSummary } from "../../../engine/memory/conversation-summary.ts";
import {
  exactInteger,
  jsonText,
  refuseUnstorableText,
  storableInstant,
  storableJson,
  storableText,
} from "../../../storage/column-values.ts";

/** What a turn may hold, in UTF-16 units; an answer that is longer is kept up to there. */
export const contentCharsMax = 8 * 1024 * 1024;

/** The turn as it is kept: models and tools may say what a database can't hold. */
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

/** As `storableTurn`, refusing what a database's columns would refuse: for stores without columns. */
export function checkedTurn(turn: Turn): Turn {
  const storable = storableTurn(turn);
  exactInteger(storable.tokenCount);
  storableInstant(storable.at);
  return { ...storable, metadata: JSON.parse(jsonText(storable.metadata)) };
}

/** Refuses names that a database can't hold. */
export function checkedKey<Key extends Partial<SessionKey>>(key: Key): Key {
  refuseUnstorableText(Object.values(key));
  return key;
}

export function storableSummary(summary: ConversationSummary): ConversationSummary {
  return { ...summary, text: storableText(summary.text) };
}
