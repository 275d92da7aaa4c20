import { expect, test } from "bun:test";
import { isMentioned, mentionsIn } from "../../../src/contracts/gateway/desk.ts";

test.each([
  ["@Ana, look", ["Ana"]],
  ["ask @ana.", ["ana"]],
  ['(@"Ana García") and @Bob-Lee', ["Ana García", "Bob-Lee"]],
  ["@Ana @Ana", ["Ana"]],
  ["ana@example.com, @@Ana, @ Ana, @", []],
  ["@José", ["José"]],
  ['@""', []],
])("%p mentions %p", (note, people) => {
  expect(mentionsIn(note)).toEqual(people);
});

test("a mention is the whole name or its first word, in any case, with or without accents", () => {
  expect(isMentioned("José Pérez", ["jose"])).toBe(true);
  expect(isMentioned("José Pérez", ["JOSE PEREZ"])).toBe(true);
  expect(isMentioned("José Pérez", ["Pérez"])).toBe(false);
  expect(isMentioned("José Pérez", [])).toBe(false);
});

test("a note mentions at most 20 people", () => {
  const note = Array.from({ length: 30 }, (_, at) => `@p${at}`).join(" ");
  expect(mentionsIn(note)).toHaveLength(20);
});
