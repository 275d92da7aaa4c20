import { expect, test } from "bun:test";
import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { QuestionForm, readEntry } from "../../../src/console/runs/question-form.tsx";
import type { Question, QuestionField } from "../../../src/contracts/daemon/questions/question.ts";

const shown = (question: Question) =>
  renderToStaticMarkup(
    <MantineProvider>
      <QuestionForm question={question} decide={() => {}} />
    </MantineProvider>,
  );

test("a form shows the question, its warning, and a field of each kind", () => {
  const html = shown({
    server: "shop",
    message: "Which <b>table</b>?",
    warning: "Careful.",
    fields: [
      { name: "guests", title: "Guests", type: "integer", required: true },
      {
        name: "area",
        title: "Area",
        type: "choice",
        required: true,
        options: [{ value: "in", title: "Inside" }],
      },
      { name: "extras", title: "Extras", type: "choices", required: false, options: [{ value: "cake" }] },
      { name: "window", title: "Window", type: "boolean", required: false, default: true },
    ],
  });
  for (const text of [
    "&lt;b&gt;table",
    "Careful.",
    "Guests",
    "Inside",
    "cake",
    "Window",
    "Decline",
    "Dismiss",
  ])
    expect(html).toContain(text);
  expect(html).toContain("checked");
});

test("a link is shown whole, opens elsewhere, and is not fetched", () => {
  const html = shown({ server: "shop", message: "Pay.", url: "https://pay.example.org/x?y=1" });
  expect(html).toContain('href="https://pay.example.org/x?y=1"');
  expect(html).toContain('rel="noopener noreferrer nofollow"');
  expect(html).not.toMatch(/<(?:img|iframe|link)/);
});

test("an entry is read by its kind; an empty optional one is left out", () => {
  const field = (more: Partial<QuestionField>): QuestionField => ({
    name: "x",
    type: "string",
    required: false,
    ...more,
  });
  expect(readEntry(field({ type: "integer" }), "2")).toEqual({ value: 2 });
  expect(readEntry(field({ type: "integer" }), "two")).toEqual({ fault: "must be a number" });
  expect(readEntry(field({}), "")).toEqual({});
  expect(readEntry(field({ required: true }), "")).toEqual({ fault: expect.any(String) });
  expect(readEntry(field({ type: "boolean" }), false)).toEqual({ value: false });
  expect(readEntry(field({ type: "choices", options: [{ value: "a" }] }), ["a"])).toEqual({ value: ["a"] });
  expect(
    readEntry(field({ type: "choice", required: true, options: [{ value: "a" }] }), "b").fault,
  ).toContain("one of");
});
