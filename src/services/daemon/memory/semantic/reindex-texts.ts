import type { MemoryOwner } from "../../../../engine/memory/memory-scope.ts";
import { everyRow, type KeptText } from "../../../../retrieval/memory/memory-index.ts";
import { findCollection, type NewWrite, setCollection } from "./store.ts";
import type { TextsPorts, TextsSetup } from "./stored-texts.ts";

/** Texts that are let wait in one transaction. */
const textsTogether = 100;

/**
 * Makes an agent's vectors anew with the embedder of today; how many texts they are of. All texts wait on disk before the old
 * vectors go, so that a process that dies in between loses none: the same call again goes on.
 */
export function reindexTexts(
  { storage, writer, newId }: TextsPorts,
  { index, storeName }: TextsSetup,
  owner: MemoryOwner,
): Promise<number> {
  return writer.alone(owner, async () => {
    const made = await findCollection(storage, owner);
    const dimension = await index.embedder.dimension(new AbortController().signal);
    let count = 0;
    if (made?.store === storeName) {
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
      await setCollection(storage, owner, { store: storeName, embedder: index.embedder.id, dimension });
    }
    await writer.retry(owner);
    return count;
  });
}

/** Each text as it waits to be kept, put together from its pieces, which come one behind the other. */
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
