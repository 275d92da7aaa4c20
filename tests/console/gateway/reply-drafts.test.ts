import { expect, test } from "bun:test";
import { forgetDrafts } from "../../../src/console/api/draft-shelf.ts";
import { changedDraft, createDraftBook } from "../../../src/console/gateway/inbox/drafts.ts";

/** The storage of a tab: its texts are its own properties. */
class Shelf {
  [name: string]: unknown;
  getItem(name: string): string | null {
    return Object.hasOwn(this, name) ? String(this[name]) : null;
  }
  setItem(name: string, text: string): void {
    this[name] = text;
  }
  removeItem(name: string): void {
    delete this[name];
  }
}

const file = { id: "f1", name: "offer.pdf", size: 12, kind: "document" };

test("a draft with its files outlasts the page, for its person alone", () => {
  const shelf = new Shelf();
  const draft = changedDraft(changedDraft(undefined, { text: "Hello" }), { files: [file] });
  createDraftBook(shelf, "ana").keep("c1", draft);
  expect(createDraftBook(shelf, "ana").read("c1")).toEqual(draft);
  expect(createDraftBook(shelf, "ana").read("c2")).toBeUndefined();
  expect(createDraftBook(shelf, "bob").read("c1")).toBeUndefined();
});

test("each change makes another message", () => {
  const first = changedDraft(undefined, { text: "a" });
  expect(changedDraft(first, { text: "b" }).idempotencyKey).not.toBe(first.idempotencyKey);
});

test("what was sent or emptied is forgotten", () => {
  const shelf = new Shelf();
  const book = createDraftBook(shelf, "ana");
  book.keep("c1", changedDraft(undefined, { text: "Hello" }));
  book.keep("c2", changedDraft(undefined, { text: "Hello" }));
  book.keep("c1", undefined);
  book.keep("c2", changedDraft(undefined, { text: " " }));
  expect(Object.keys(shelf)).toEqual([]);
  expect(book.read("c1")).toBeUndefined();
});

test.each(["{", "null", "{}", '{"text":"a","idempotencyKey":"k","files":[null]}', '{"text":1,"files":[]}'])(
  "a stored text that is no draft counts as none: %s",
  (kept) => {
    const shelf = new Shelf();
    shelf.setItem("argosy-draft ana c1", kept);
    expect(createDraftBook(shelf, "ana").read("c1")).toBeUndefined();
  },
);

test("a draft lasts as long as the page where the browser stores nothing", () => {
  const full = {
    getItem: () => null,
    setItem() {
      throw new Error("full");
    },
    removeItem: () => undefined,
  };
  const book = createDraftBook(full, "ana");
  book.keep("c1", changedDraft(undefined, { text: "Hello" }));
  expect(book.read("c1")?.text).toBe("Hello");
});

test("signing out forgets all drafts and nothing else", () => {
  const shelf = new Shelf();
  createDraftBook(shelf, "ana").keep("c1", changedDraft(undefined, { text: "Hello" }));
  shelf.setItem("other", "stays");
  forgetDrafts(shelf);
  expect(Object.keys(shelf)).toEqual(["other"]);
});
