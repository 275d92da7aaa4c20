import { expect, test } from "bun:test";
import type { Question, QuestionField } from "../../../../src/contracts/daemon/questions/question.ts";
import {
  questionLines,
  readWrittenAnswer,
} from "../../../../src/contracts/daemon/questions/written-answer.ts";

const ask = (fields?: QuestionField[]): Question => ({
  server: "shop",
  message: "Which?",
  ...(fields ? { fields } : { url: "https://example.org/" }),
});
const guests: QuestionField = {
  name: "guests",
  title: "Guests",
  type: "integer",
  required: true,
  min: 1,
  max: 8,
};
const area: QuestionField = {
  name: "area",
  type: "choice",
  required: true,
  options: [
    { value: "in", title: "Inside" },
    { value: "out", title: "Outside" },
  ],
};
const note: QuestionField = { name: "note", type: "string", required: false };
const sure: QuestionField = { name: "sure", type: "boolean", required: true };
const going: QuestionField = {
  name: "going",
  type: "choice",
  required: true,
  options: [{ value: "yes" }, { value: "no" }],
};
const extras: QuestionField = {
  name: "extras",
  type: "choices",
  required: false,
  options: [{ value: "cake" }, { value: "wine" }],
};

const declined = { declines: true } as const;
const table: [string, Question, string, ReturnType<typeof readWrittenAnswer>][] = [
  ["one number", ask([guests]), " 2 ", { answer: { guests: 2 } }],
  ["one text of several lines", ask([note]), "a\nb", { answer: { note: "a\nb" } }],
  ["an option by its title", ask([area]), "outside", { answer: { area: "out" } }],
  ["an option by its number", ask([area]), "1", { answer: { area: "in" } }],
  ["options with commas", ask([extras]), "cake, 2", { answer: { extras: ["cake", "wine"] } }],
  [
    "lines in order",
    ask([guests, area, note]),
    "2\nInside\nby the door",
    { answer: { guests: 2, area: "in", note: "by the door" } },
  ],
  ["lines with names", ask([guests, area]), "area: out\nguests: 3", { answer: { guests: 3, area: "out" } }],
  ["nothing for what is optional", ask([guests, note]), "2\n-", { answer: { guests: 2 } }],
  ["no, as a value", ask([sure]), "no", { answer: { sure: false } }],
  ["no, as the only field's option", ask([going]), "No", { answer: { going: "no" } }],
  ["decline where no is an option", ask([going]), "decline", declined],
  ["no where it is an option of one of two fields", ask([going, note]), "no", declined],
  ["yes, as a value", ask([sure]), "Yes.", { answer: { sure: true } }],
  ["yes to a link", ask(), "yes", { answer: {} }],
  ["yes to a form without fields", ask([]), "OK", { answer: {} }],
  ["no to a form", ask([guests]), "No", declined],
  ["no to a link", ask(), "no", declined],
  ["decline for one yes or no", ask([sure]), "decline", declined],
  ["another text to a link", ask(), "later", { faults: ["Answer yes or no."] }],
  ["a number that is too large", ask([guests]), "9", { faults: ["Guests must be at most 8."] }],
  ["a text for a number", ask([guests]), "two", { faults: ["Guests must be a number."] }],
  ["a missing line", ask([guests, area]), "2", { faults: ["area is required."] }],
];
test.each(table)("%s", (_, question, text, expected) => {
  expect(readWrittenAnswer(question, text)).toEqual(expected);
});

test("a question in words names its server, its fields and how to answer", () => {
  expect(questionLines({ ...ask([guests, area]), warning: "Careful." })).toEqual([
    "shop asks: Which?",
    "Careful.",
    "- Guests (whole number)",
    "- area (one of: Inside, Outside)",
    'Answer with one line for each, in this order, "-" for nothing; or "decline".',
  ]);
  expect(questionLines(ask())).toEqual([
    "shop asks: Which?",
    "Open https://example.org/ yourself if you trust shop. Then answer yes, or no to decline.",
  ]);
});
