import { expect, test } from "bun:test";
import { type CopyStep, compareCopies } from "../../../../src/services/daemon/shared-files/compare-copies.ts";

const live = (digest: string) => ({ digest, isDeleted: false });
const deleted = (digest: string) => ({ digest, isDeleted: true });
const none = undefined;

type Row = [
  own: string | undefined,
  shared: ReturnType<typeof live> | undefined,
  agreed: string | undefined,
  CopyStep,
];

const rows: Row[] = [
  [none, none, none, "same"],
  ["a", none, none, "give"],
  ["a", live("a"), none, "same"],
  ["a", live("a"), "old", "same"],
  [none, live("a"), none, "take"],
  // A newer shared text, an edit here, and both.
  ["a", live("b"), "a", "take"],
  ["b", live("a"), "a", "give"],
  ["c", live("b"), "a", "replace"],
  ["c", live("b"), none, "replace"],
  // Deleted elsewhere: an old copy goes, an edited or a new one comes back.
  [none, deleted("a"), none, "same"],
  ["a", deleted("a"), none, "remove"],
  ["a", deleted("b"), "a", "remove"],
  ["c", deleted("a"), "a", "give"],
];

test.each(rows)("own %p, shared %p, agreed %p: %s", (own, shared, agreed, step) => {
  expect(compareCopies({ own, shared, agreed, wasSeen: false })).toBe(step);
});

test("a copy that is gone was deleted only if this process has seen it as the shared one", () => {
  const gone = { own: none, shared: live("a") };
  expect(compareCopies({ ...gone, agreed: "a", wasSeen: true })).toBe("withdraw");
  expect(compareCopies({ ...gone, agreed: "a", wasSeen: false })).toBe("take");
  expect(compareCopies({ ...gone, agreed: "old", wasSeen: true })).toBe("take");
});
