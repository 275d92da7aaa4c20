import { readableFiles } from "../../../contracts/daemon/rag/document-types.ts";
import { isolated } from "../isolated.ts";

/** The pages of a tenant's documents. */
export const documentsTexts = {
  title: "Documents",
  lead: (tenant: string) =>
    `Collections of ${isolated(tenant)}. Agents search one with a tool of type rag that names it.`,
  collections: "Collections",
  name: "Collection",
  count: "Documents",
  chunks: "Chunks",
  created: "Created",
  actions: "Actions",
  status: { ready: "Ready", unavailable: "Unavailable" },
  unavailableHint: "The vector store does not have these documents now. Tell the operator.",
  used: "Documents used",
  usedOf: (documents: string, max: string) => `${documents} of ${max}`,
  noLimit: "no limit",
  largest: "Largest document",
  collectionsUsed: "Collections used",
  noneTitle: "No documents yet",
  none: "Upload documents to create a collection.",
  upload: "Upload documents",
  uploadText: "Name a new or an existing collection. A new collection is created with its first document.",
  nameLabel: "Name",
  open: "Continue",
  remove: "Delete",
  deleteOf: (name: string) => `Delete ${isolated(name)}`,
  deleteCollectionTitle: (name: string) => `Delete ${isolated(name)}?`,
  deleteCollectionText: (documents: string) =>
    `This deletes the collection and its documents (${documents}). Agents can no longer search them. This cannot be undone.`,
  deleteCollection: "Delete collection",
  deleted: (name: string) => `${isolated(name)} was deleted.`,
};

export const tenantCollectionTexts = {
  up: "Documents",
  lead: (name: string) => `Agents search it with the tool option collection: ${name}.`,
  newAgent: "New agent with it",
  notYet: "This collection does not exist yet. It is created with its first document.",
  views: "View",
  documents: "Documents",
  search: "Test search",
  none: "No documents yet. Drop files above.",
  kinds: (largest: string) =>
    `Files: ${readableFiles}; at most ${largest} each. A file replaces the document with the same name.`,
  tooLarge: (largest: string) => `The file is larger than ${largest}. Split it and upload the parts.`,
  question: "Question",
  find: "Search",
  noQuestion: "Type a question to see which passages an agent would find.",
  nothing: "No passage matches.",
  results: (count: number) => (count === 1 ? "1 passage" : `${count} passages`),
  score: "Score",
  place: (chunk: string, start: string, end: string) => `chunk ${chunk}, characters ${start} to ${end}`,
};
