import type { MemoryOwner } from "../../../../engine/memory/memory-scope.ts";
import type { SemanticQuestion, SemanticRecord } from "../../../../engine/memory/semantic-memory.ts";
import type { FoundText, MemoryIndex } from "../../../../retrieval/memory/memory-index.ts";

interface Question extends SemanticQuestion {
  user: string | undefined;
  resultsMax: number;
  scoreMin: number;
}

/** A store is told of so many exchanges that it is to leave out; the others are left out of what it finds. */
const exceptMax = 50;

/** What a run is to be reminded of: each text once, and nothing that it has before it already. */
export async function foundMemories(
  index: MemoryIndex,
  owner: MemoryOwner,
  { query, shown, user, resultsMax, scoreMin, signal }: Question,
): Promise<SemanticRecord[]> {
  const found = await index.search(owner, {
    query,
    // Some will be the same text, said several times.
    limit: resultsMax * 3 + Math.max(0, shown.length - exceptMax),
    scoreMin,
    selection: { users: user === undefined ? [""] : ["", user] },
    exceptOrigins: shown.slice(-exceptMax),
    signal,
  });
  const known = new Set(shown);
  // That it was asked before says nothing.
  const told = new Set([folded(query)]);
  const memories: SemanticRecord[] = [];
  for (const text of found) {
    const same = folded(text.text);
    if (known.has(text.origin) || told.has(same)) continue;
    told.add(same);
    memories.push(presentText(text));
    if (memories.length === resultsMax) break;
  }
  return memories;
}

function folded(text: string): string {
  return text.trim().replace(/\s+/gu, " ").toLowerCase();
}

/** A text as prompts and callers see it. */
export function presentText({ id, text, score, metadata, session, user }: FoundText): SemanticRecord {
  return {
    text,
    score,
    metadata: {
      id,
      ...metadata,
      ...(session !== "" && { session_id: session }),
      ...(user !== "" && { user }),
    },
    source: sourceOf(metadata, session),
  };
}

function sourceOf({ source }: Record<string, unknown>, session: string): string {
  if (typeof source === "string" && source !== "") return source;
  return session === "" ? "memory" : session;
}
