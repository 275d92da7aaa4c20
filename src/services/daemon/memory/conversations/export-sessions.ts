import type { MemoryExportLine } from "../../../../contracts/daemon/memory/memory.ts";
import type { AgentKey, ConversationArchive, NumberedTurn } from "../../../../engine/memory/conversation.ts";
import { othersTurn } from "../../../../kit/concurrency/others-turn.ts";
import { presentSummary, presentTurn } from "./read-history.ts";

const turnsAtOnce = 200;
const sessionsAtOnce = 100;
/** Lines of an export that are written between two turns of others. */
const linesAtOnce = 50;
const pieceChars = 65_536;

/**
 * Exports all turns and summaries of an agent's sessions, or of one session, oldest turn first. May include turns added during the export.
 */
export async function* exportSessions(
  store: ConversationArchive,
  key: AgentKey,
  sessionId: string | undefined,
): AsyncGenerator<MemoryExportLine, void> {
  const totals = { sessions: 0, turns: 0 };
  const ids = sessionId === undefined ? allSessions(store, key) : [sessionId];
  for await (const id of ids) {
    let isBegun = false;
    for await (const turn of allTurns(store, { ...key, sessionId: id })) {
      if (!isBegun) {
        isBegun = true;
        totals.sessions++;
        const summary = await store.summaries.find({ ...key, sessionId: id });
        yield { type: "session", session_id: id, ...(summary && { summary: presentSummary(summary) }) };
      }
      totals.turns++;
      yield { type: "turn", session_id: id, ...presentTurn(turn) };
    }
  }
  yield { type: "end", ...totals };
}

/** Yields each session once. */
async function* allSessions(store: ConversationArchive, key: AgentKey): AsyncGenerator<string, void> {
  const exported = new Set<string>();
  let cursor: string | undefined;
  do {
    const { ids, next } = await store.sessionIds(key, { limit: sessionsAtOnce, cursor });
    for (const id of ids) {
      if (exported.has(id)) continue;
      exported.add(id);
      yield id;
    }
    cursor = next;
  } while (cursor !== undefined);
}

async function* allTurns(
  store: ConversationArchive,
  key: AgentKey & { sessionId: string },
): AsyncGenerator<NumberedTurn, void> {
  // Tells whether the session has expired, which `turnsAfter` does not check.
  const [newest] = await store.page(key, { limit: 1 });
  if (newest === undefined) return;
  for (let after = 0; ; ) {
    const turns = await store.summaries.turnsAfter(key, after, turnsAtOnce);
    yield* turns;
    const last = turns.at(-1);
    if (last === undefined || turns.length < turnsAtOnce) return;
    after = last.seq;
  }
}

/**
 * Creates a response with one JSON value a line, produced as fast as the client reads. Throws if the first line fails; a later error aborts
 * the response.
 */
export async function jsonLines(lines: AsyncGenerator<unknown, void>, mediaType: string): Promise<Response> {
  const encoder = new TextEncoder();
  let next = await lines.next();
  const body = new ReadableStream<Uint8Array>({
    async pull(out) {
      // SQLite answers at once, so that without turns nothing else would run until the end.
      await othersTurn();
      let piece = "";
      for (let line = 0; line < linesAtOnce && piece.length < pieceChars && next.done !== true; line++) {
        piece += `${JSON.stringify(next.value)}\n`;
        next = await lines.next();
      }
      if (piece !== "") out.enqueue(encoder.encode(piece));
      if (next.done === true) out.close();
    },
    async cancel() {
      await lines.return();
    },
  });
  return new Response(body, {
    headers: { "content-type": mediaType, "content-disposition": 'attachment; filename="memory.jsonl"' },
  });
}
