import { expect, test } from "bun:test";
import { forgetDrafts } from "../../../src/console/api/draft-shelf.ts";
import { forgetDraft, keepDraft, readDraft } from "../../../src/console/builder/kept-draft.ts";

/** A browser's storage; a full one refuses what is larger than its room. */
function storage(room = Number.POSITIVE_INFINITY): Storage {
  const values: Record<string, string> = {};
  const methods = {
    getItem: (key: string) => values[key] ?? null,
    setItem(key: string, value: string) {
      if (value.length > room) throw new DOMException("full", "QuotaExceededError");
      values[key] = value;
    },
    removeItem: (key: string) => void Reflect.deleteProperty(values, key),
  };
  return new Proxy(methods as Storage, {
    ownKeys: () => Object.keys(values),
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  });
}

const draft = { text: "b", base: { value: "a", tag: "1" }, at: "2026-01-01T00:00:00.000Z" };

test("a draft is kept with the version that it began with, until it is forgotten", () => {
  const store = storage();
  expect(readDraft(store, "x")).toBeUndefined();
  expect(keepDraft(store, "x", draft)).toBe(true);
  expect(readDraft(store, "x")).toEqual(draft);
  expect(readDraft(store, "y")).toBeUndefined();
  forgetDraft(store, "x");
  expect(readDraft(store, "x")).toBeUndefined();
});

test("a browser without room keeps no older draft instead", () => {
  const store = storage(100);
  expect(keepDraft(store, "x", draft)).toBe(true);
  expect(keepDraft(store, "x", { ...draft, text: "c".repeat(200) })).toBe(false);
  expect(readDraft(store, "x")).toBeUndefined();
});

test.each(["", "null", "[]", "{", '{"text":"a"}', '{"text":1,"base":{"value":"a"},"at":"x"}'])(
  "a stored %j is no draft",
  (text) => {
    const store = storage();
    store.setItem("argosy-draft x", text);
    expect(readDraft(store, "x")).toBeUndefined();
  },
);

test("all drafts end with the session, and nothing else does", () => {
  const store = storage();
  keepDraft(store, "x", draft);
  keepDraft(store, "y", draft);
  store.setItem("other", "kept");
  forgetDrafts(store);
  expect([readDraft(store, "x"), readDraft(store, "y"), store.getItem("other")]).toEqual([
    undefined,
    undefined,
    "kept",
  ]);
});
