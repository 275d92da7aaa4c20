import type {
  MemoryOwner,
  SemanticQuestion,
  SemanticRecord,
} from "../../../../engine/memory/long-term-memory.ts";
import type { FoundText, MemoryIndex } from "../../../../retrieval/memory/memory-index.ts";

interface Question extends SemanticQuestion {
  user: string | undefined;
  resultsMax: number;
  scoreMin: number;
}

/** Maximum number of exchanges that the store is asked to exclude; further ones are removed from its results. */
const exceptMax = 50;

/** Returns the memories for a run: each text once, and nothing that the prompt already contains. */
export async function foundMemories(
  index: MemoryIndex,
  owner: MemoryOwner,
  { query, shown, user, resultsMax, scoreMin, signal }: Question,
): Promise<SemanticRecord[]> {
  const hits = await index.search(owner, {
    query,
    // Some results may be the same text, said several times.
    limit: resultsMax * 3 + Math.max(0, shown.length - exceptMax),
    scoreMin,
    selection: { users: user === undefined ? [""] : ["", user] },
    exceptOrigins: shown.slice(-exceptMax),
    signal,
  });
  const known = new Set(shown);
  // An earlier occurrence of the query itself is not a memory.
  const seen = new Set([folded(query)]);
  const memories: SemanticRecord[] = [];
  for (const text of hits) {
    const same = folded(text.text);
    if (known.has(text.origin) || seen.has(same)) continue;
    seen.add(same);
    memories.push(presentText(text));
    if (memories.length === resultsMax) break;
  }
  return memories;
}

function folded(text: string): string {
  return text.trim().replace(/\s+/gu, " ").toLowerCase();
}

/** Converts a text for prompts and callers. */
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
