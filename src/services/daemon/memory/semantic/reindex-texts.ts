import type { MemoryOwner } from "../../../../engine/memory/long-term-memory.ts";
import type { NewId } from "../../../../kit/id.ts";
import type { Logger } from "../../../../kit/log.ts";
import { everyRow, type KeptText } from "../../../../retrieval/memory/memory-index.ts";
import type { Storage } from "../../../../storage/storage.ts";
import { findCollection, setCollection } from "./collection-records.ts";
import type { HeldMemory } from "./held-memory.ts";
import type { MemoryWriter } from "./memory-writer.ts";
import type { SemanticTables } from "./schema.ts";
import type { NewWrite } from "./store.ts";

export interface ReindexPorts {
  storage: Storage<SemanticTables>;
  writer: MemoryWriter;
  newId: NewId;
  log: Logger;
}

/** Texts queued in one transaction. */
const textsTogether = 100;

/**
 * Rebuilds an agent's vectors with the current embedder and returns the number of texts. All texts are stored in the database before the
 * old vectors are dropped, so a crash loses none: repeating the call continues.
 */
export function reindexTexts(
  { storage, writer, newId, log }: ReindexPorts,
  { storeName, memory }: { storeName: string; memory: HeldMemory },
  { owner, forgetLost }: { owner: MemoryOwner; forgetLost: boolean },
): Promise<number> {
  const { index } = memory;
  return writer.alone(owner, async () => {
    const made = await findCollection(storage, owner);
    const place = await memory.place();
    const dimension = await index.embedder.dimension(new AbortController().signal);
    let count = 0;
    if (made?.store === storeName) {
      if (!forgetLost) await memory.requireTexts(owner, made);
      if (made.place !== null && made.place !== place)
        log.warn("memory.left_behind", { ...owner, store: made.store, place: made.place });
      let some: NewWrite[] = [];
      for await (const write of writesOf(everyRow(index, owner, made.dimension, {}), owner, newId)) {
        some.push(write);
        count++;
        if (some.length < textsTogether) continue;
        await writer.put(owner, some, Number.POSITIVE_INFINITY);
        some = [];
      }
      await writer.put(owner, some, Number.POSITIVE_INFINITY);
      await index.drop(owner);
      const anew = {
        store: storeName,
        embedder: index.embedder.id,
        dimension,
        place,
        newest: null,
        bytes: 0,
      };
      await setCollection(storage, owner, anew);
    }
    await writer.retry(owner);
    return count;
  });
}

/** Yields each text as a waiting write, joined from its pieces, which are consecutive. */
async function* writesOf(
  rows: AsyncIterable<KeptText>,
  { tenant, agent }: MemoryOwner,
  newId: () => string,
): AsyncGenerator<NewWrite> {
  let whole: KeptText | undefined;
  const asWrite = ({ id, text, metadata, session, user, origin }: KeptText): NewWrite => {
    const { piece: _, pieces: __, ...rest } = metadata;
    const texts = [{ id, text, metadata: rest }];
    return { tenant, agent, id: newId(), sessionId: session, user, origin, texts };
  };
  for await (const row of rows) {
    if (whole?.id === row.id) whole = { ...whole, text: `${whole.text} ${row.text}` };
    else {
      if (whole !== undefined) yield asWrite(whole);
      whole = row;
    }
  }
  if (whole !== undefined) yield asWrite(whole);
}
