import { expect, test } from "bun:test";
import {
  changeViews,
  isViewsEvent,
  readViews,
  renamed,
  viewQuery,
  viewsMax,
  withView,
} from "../../../../../src/console/studio/traces/views/saved-views.ts";

function storageOf(text: string | null) {
  const state = { text };
  return {
    state,
    getItem: () => state.text,
    setItem: (_name: string, value: string) => {
      state.text = value;
    },
  };
}

const views = [
  { name: "Failures", query: "status=ERROR&since=24h" },
  { name: '"><script>', query: "search=100%25+%26+%3Cb%3E&sort=slowest&hide=model%2Ccost" },
];

test("a view keeps filters, order and columns, and nothing else of the address", () => {
  expect(viewQuery("?since=24h&status=ERROR&span=x&agent=&cursor=1")).toBe("status=ERROR&since=24h");
  expect(viewQuery(views[1]?.query ?? "")).toBe(views[1]?.query ?? "");
});

test("views are read as they were stored, and what is none is left out", () => {
  const storage = storageOf(null);
  expect(readViews(storage)).toEqual([]);
  expect(changeViews(storage, () => views)).toEqual(views);
  expect(readViews(storage)).toEqual(views);
  for (const text of ["", "{", "null", "{}", '"x"', "[null, 1, {}]", '[{"name": "", "query": ""}]'])
    expect([text, readViews(storageOf(text))]).toEqual([text, []]);
  const foreign = [
    { name: "x", query: "javascript:alert(1)" },
    { name: "x".repeat(61), query: "" },
    views[0],
  ];
  expect(readViews(storageOf(JSON.stringify(foreign)))).toEqual([views[0] as never]);
});

test("a name is used once: saving replaces, renaming to another's name is refused", () => {
  const changed = withView(views, { name: " Failures ", query: "status=OK" });
  expect(changed.map(({ query }) => query).sort()).toEqual([views[1]?.query ?? "", "status=OK"].sort());
  expect(renamed(views, "Failures", '"><script>')).toBeUndefined();
  expect(renamed(views, "Failures", "  ")).toBeUndefined();
  expect(renamed(views, "gone", "new")).toBeUndefined();
  expect(renamed(views, "Failures", "Errors")?.map(({ name }) => name)).toContain("Errors");
  expect(renamed(views, "Failures", "Failures")).toHaveLength(2);
});

test("a change in one tab keeps what another tab has stored since", () => {
  const storage = storageOf(null);
  const read = readViews(storage);
  changeViews(storage, (now) => withView(now, { name: "Other tab", query: "" }));
  expect(read).toEqual([]);
  changeViews(storage, (now) => withView(now, { name: "This tab", query: "" }));
  expect(readViews(storage).map(({ name }) => name)).toEqual(["Other tab", "This tab"]);
  expect(changeViews(storage, (now) => renamed(now, "This tab", "Other tab"))).toBeUndefined();
  const full = Array.from({ length: viewsMax }, (_, at) => ({ name: `v${at}`, query: "" }));
  changeViews(storage, () => full);
  expect(changeViews(storage, (now) => withView(now, { name: "one more", query: "" }))).toBeUndefined();
  expect(readViews(storage)).toHaveLength(viewsMax);
});

test("a tab reads the views again when another has changed or cleared them", () => {
  expect(["argosy.traceViews", null, "other"].map((key) => isViewsEvent({ key }))).toEqual([
    true,
    true,
    false,
  ]);
});
