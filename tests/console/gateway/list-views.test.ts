import { expect, test } from "bun:test";
import { countedViews, queryOfView } from "../../../src/console/gateway/inbox/list-views.ts";

test("a session without a name has no conversations of its own", () => {
  expect(countedViews(undefined)).toEqual(["needs", "undelivered", "nobody", "unread"]);
  expect(countedViews("ana")).toEqual(["needs", "undelivered", "mine", "nobody", "unread"]);
});

test("each view asks for its conversations", () => {
  expect(countedViews("ana").map((view) => queryOfView(view, "ana"))).toEqual([
    { needs_person: true },
    { undelivered: true },
    { assignee: "ana" },
    { assignee: "" },
    { unread: true },
  ]);
  expect(queryOfView("all", "ana")).toEqual({});
});
