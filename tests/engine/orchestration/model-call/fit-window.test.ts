import { expect, test } from "bun:test";
import type { Message } from "../../../../src/engine/models/model.ts";
import { estimateRequestTokens } from "../../../../src/engine/models/token-count.ts";
import { fitWindow } from "../../../../src/engine/orchestration/model-call/fit-window.ts";
import { requestOf } from "../../../support/scripted-model.ts";

const words = (count: number) => "word ".repeat(count);
const turn = (id: string, content: string): Message[] => [
  { role: "assistant", content: "", toolCalls: [{ id, name: "read", input: {} }] },
  { role: "tool", callId: id, name: "read", content },
];
const request = (...messages: Message[]) => ({ ...requestOf("hi"), messages });
const contents = (messages: readonly Message[]) =>
  messages.flatMap((message) => (message.role === "tool" ? [message.content] : []));

test("a request that fits is sent as it is", () => {
  const given = request({ role: "user", content: words(3000) }, ...turn("a", words(300)));
  expect(fitWindow(given, 16_000).request).toBe(given);
});

test("the oldest results are shortened first, and the request fits", () => {
  const given = request(...turn("a", words(3000)), ...turn("b", words(3000)), ...turn("c", words(2000)));
  const { request: sent, shortened, leftOutChars } = fitWindow(given, 6000);
  expect(estimateRequestTokens(sent)).toBeLessThanOrEqual(6000);
  const [first = "", second = "", third] = contents(sent.messages);
  expect(first).toContain("characters left out]");
  expect(first.length).toBeLessThan(second.length);
  expect(third).toBe(words(2000));
  expect(shortened).toBe(2);
  expect(leftOutChars).toBeGreaterThan(10_000);
});

test("every call keeps its result, and what was said stays", () => {
  const given = request(
    { role: "system", content: "Be kind." },
    { role: "user", content: words(100) },
    ...Array.from({ length: 20 }, (_, at) => turn(`c${at}`, words(2000))).flat(),
  );
  const { request: sent } = fitWindow(given, 6000);
  expect(sent.messages.map(({ role }) => role)).toEqual(given.messages.map(({ role }) => role));
  expect(sent.messages.slice(0, 2)).toEqual(given.messages.slice(0, 2));
});

test("a window that nobody has set shortens nothing", () => {
  const given = request(...turn("a", words(30_000)));
  expect(fitWindow(given, undefined).request).toBe(given);
});

test("without results there is nothing to shorten", () => {
  const given = request({ role: "user", content: words(9000) });
  expect(fitWindow(given, 6000).request).toBe(given);
});
