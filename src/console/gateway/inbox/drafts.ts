import { draftPrefix } from "../../api/draft-shelf.ts";
import { randomHex } from "../../parts/text/random-hex.ts";

/** A file of a reply, which the gateway has. */
export interface DraftFile {
  id: string;
  name: string;
  size: number;
  kind: string;
}

/** A reply that is being written. */
export interface ReplyDraft {
  text: string;
  files: readonly DraftFile[];
  /** The same reply sent again after a lost answer is the same message. */
  idempotencyKey: string;
}

/** Returns the draft with a change, under a key of its own: it is another message. */
export const changedDraft = (
  draft: ReplyDraft | undefined,
  change: Partial<Pick<ReplyDraft, "text" | "files">>,
): ReplyDraft => ({ text: "", files: [], ...draft, ...change, idempotencyKey: randomHex(16) });

export const isEmpty = (draft: ReplyDraft | undefined): boolean =>
  draft === undefined || (draft.text.trim() === "" && draft.files.length === 0);

type Shelf = Pick<globalThis.Storage, "getItem" | "setItem" | "removeItem">;

/** Drafts of a person, kept in this tab of the browser until they are sent. */
export interface DraftBook {
  read(conversation: string): ReplyDraft | undefined;
  keep(conversation: string, draft: ReplyDraft | undefined): void;
}

/** Without a shelf that works, drafts last as long as the page. */
export function createDraftBook(shelf: Shelf, person: string): DraftBook {
  const keyOf = (conversation: string) => `${draftPrefix}${person} ${conversation}`;
  const drafts = new Map<string, ReplyDraft | undefined>();
  return {
    read(conversation) {
      if (!drafts.has(conversation)) drafts.set(conversation, storedDraft(shelf, keyOf(conversation)));
      return drafts.get(conversation);
    },
    keep(conversation, draft) {
      drafts.set(conversation, draft);
      try {
        if (draft === undefined || isEmpty(draft)) shelf.removeItem(keyOf(conversation));
        else shelf.setItem(keyOf(conversation), JSON.stringify(draft));
      } catch {
        // The browser's storage is full or off.
      }
    },
  };
}

function storedDraft(shelf: Shelf, key: string): ReplyDraft | undefined {
  try {
    return readDraft(JSON.parse(shelf.getItem(key) ?? "null"));
  } catch {
    return undefined;
  }
}

function readDraft(kept: unknown): ReplyDraft | undefined {
  if (typeof kept !== "object" || kept === null) return undefined;
  const { text, files, idempotencyKey } = kept as Partial<ReplyDraft>;
  if (typeof text !== "string" || typeof idempotencyKey !== "string" || !Array.isArray(files)) {
    return undefined;
  }
  const isFile = (file: Partial<DraftFile> | null) =>
    typeof file?.id === "string" && typeof file.name === "string" && typeof file.size === "number";
  return files.every(isFile) ? { text, files: files as DraftFile[], idempotencyKey } : undefined;
}
