import { readableFiles } from "../../contracts/daemon/rag/document-types.ts";
import { counted } from "./counted.ts";
import { isolated } from "./isolated.ts";

/** Texts for the documents of a collection, in the Studio and on the platform. */
export const documentTexts = {
  table: "Documents",
  document: "Document",
  chunks: "Chunks",
  characters: "Characters",
  losses: "Reading notes",
  updated: "Updated",
  deleteTitle: (id: string) => `Delete ${isolated(id)}?`,
  deleteText:
    "This deletes the document and its chunks. Agents can no longer search it. This cannot be undone.",
  deleteOf: (id: string) => `Delete ${isolated(id)}`,
  deleteAction: "Delete document",
  deleted: (id: string) => `${isolated(id)} was deleted.`,
  nameFault: "Use 1 to 63 letters, digits, “.”, “_” and “-”. Start and end with a letter or a digit.",
};

/** Texts of uploads into a collection. */
export const uploadTexts = {
  title: "Upload",
  drop: "Drop files here, or",
  choose: "Choose files",
  kinds: `Files: ${readableFiles}; at most 64 MiB each. A file replaces the document with the same name.`,
  list: "Uploads",
  states: {
    waiting: "Queued",
    reading: "Uploading",
    working: "Processing",
    done: "Done",
    failed: "Failed",
    cancelled: "Cancelled",
  },
  outcome: { created: "new", replaced: "replaced", unchanged: "unchanged" },
  chunks: (count: number, shown: string) => (count === 1 ? "1 chunk" : `${shown} chunks`),
  losses: "Reading notes",
  reading: ({ page, pages }: { page: number; pages: number }) => `Recognizing text: page ${page} of ${pages}`,
  cancel: (name: string) => `Cancel ${name}`,
  again: "Try again",
  clear: "Clear list",
  tooLarge: "The file is larger than 64 MiB. Split it and upload the parts.",
  empty: "The file is empty.",
  ended: (status: string) => `The job ended with status ${status}.`,
  summary: (done: number, failed: number, all: number) => {
    const uploaded =
      done < all ? `${done} of ${counted(all, "file")} uploaded` : `${counted(all, "file")} uploaded`;
    return failed === 0 ? uploaded : `${uploaded}, ${failed} failed`;
  },
};
