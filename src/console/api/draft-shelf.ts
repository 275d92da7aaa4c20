/** Begins the name of each text in the tab's storage that a person has not sent yet. */
export const draftPrefix = "argosy-draft ";

type Shelf = Pick<globalThis.Storage, "removeItem">;

/** Forgets them all: who signs out leaves nothing to the next person at this browser. */
export function forgetDrafts(shelf: Shelf): void {
  for (const name of Object.keys(shelf)) if (name.startsWith(draftPrefix)) shelf.removeItem(name);
}
