import { and, eq } from "drizzle-orm";
import type { Clock } from "../../../kit/clock.ts";
import type { NewId } from "../../../kit/id.ts";
import type { DocumentChange } from "../../../manifest/agent/triggers.ts";
import type { Query } from "../../../storage/storage.ts";
import type { TriggerRow, TriggerStorage } from "./schema.ts";
import { insertFires } from "./store.ts";

/*
 * Fires of what other nouns store. They are stored in the same transaction as the document or the message, so there is one for each
 * exactly, on whichever node it arrives.
 */

/** Documents that one write changed. */
export interface ChangedDocuments {
  tenant: string;
  collection: string;
  change: DocumentChange;
  documents: readonly string[];
  /** Id of the write. */
  write: string;
}

/** A message that arrived on a channel. */
export interface ArrivedMessage {
  tenant: string;
  channel: string;
  account: string;
  from: string;
  kind: string;
  text: string;
  messageId: string;
}

/** Ids of documents that one fire names. */
const documentsMax = 100;

export const documentSource = (collection: string) => `collection:${collection}`;
export const messageSource = (channel: string) => `channel:${channel}`;

/** Stores the fires of triggers that wait for documents or messages. */
export interface FireSources {
  documentsChanged(tx: Query, changed: ChangedDocuments): Promise<void>;
  messageArrived(tx: Query, message: ArrivedMessage): Promise<void>;
}

interface Ports {
  tables: TriggerStorage["tables"];
  clock: Clock;
  newId: NewId;
}

export function createFireSources({ tables, clock, newId }: Ports): FireSources {
  const { triggers } = tables;
  const fire = async (
    tx: Query,
    at: { tenant: string; source: string; event: string; key: string },
    payload: unknown,
  ): Promise<void> => {
    const waiting = await tx
      .select()
      .from(triggers)
      .where(
        and(eq(triggers.tenant, at.tenant), eq(triggers.source, at.source), eq(triggers.isPaused, false)),
      );
    const now = clock.now();
    const fires = waiting
      .filter((row) => takes(row, at.event))
      .map(({ tenant, agent, name, source }) => ({
        ...{ tenant, agent, payload, id: newId(), trigger: name, key: at.key, byPerson: false },
        ...{ type: source.startsWith("channel:") ? ("message" as const) : ("document" as const) },
        ...{ dueAt: now, createdAt: now },
      }));
    if (fires.length > 0) await insertFires(tx, tables, fires);
  };
  return {
    async documentsChanged(tx, { tenant, collection, change, documents, write }) {
      if (documents.length === 0) return;
      await fire(
        tx,
        { tenant, source: documentSource(collection), event: change, key: `${write}:${change}` },
        { collection, change, documents: documents.slice(0, documentsMax), count: documents.length },
      );
    },
    async messageArrived(tx, { tenant, channel, account, from, kind, text, messageId }) {
      const key = `${account}:${messageId}`;
      const payload = { channel, from, kind, text, message_id: messageId };
      await fire(tx, { tenant, source: messageSource(channel), event: "message", key }, payload);
    },
  };
}

const takes = ({ events }: TriggerRow, event: string) => events === "" || events.split(",").includes(event);
