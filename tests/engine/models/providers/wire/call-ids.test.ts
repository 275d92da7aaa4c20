import { expect, test } from "bun:test";
import type { Message } from "../../../../../src/engine/models/model.ts";
import {
  callIdsWithin,
  ownCallId,
  withUniqueCallIds,
} from "../../../../../src/engine/models/providers/wire/call-ids.ts";
import { newId } from "../../../../../src/kit/id.ts";

test("an id of our own has at most 40 letters and digits", () => {
  expect(ownCallId(newId)).toMatch(/^[a-zA-Z0-9]{10,40}$/);
});

test("a foreign id becomes one that the vendor takes, equal for equal ids", () => {
  const nine = callIdsWithin(/^[a-zA-Z0-9]{9}$/, 9);
  const ids = ["call_1", "functions.read:0", "x".repeat(200), "ä", ""];
  const converted = ids.map(nine);
  for (const id of converted) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
  expect(new Set(converted).size).toBe(ids.length);
  expect(ids.map(nine)).toEqual(converted);
  expect(nine("abcdefghi")).toBe("abcdefghi");
});

const turn = (...ids: string[]): Message[] => [
  { role: "assistant", content: "", toolCalls: ids.map((id) => ({ id, name: "t", input: {} })) },
  ...ids.map((callId): Message => ({ role: "tool", callId, name: "t", content: callId })),
];

test("calls of a later turn with the ids of an earlier one get others, and so do their results", () => {
  const messages = [...turn("call_0", "call_1"), ...turn("call_0"), ...turn("call_0_2", "call_0")];
  const unique = withUniqueCallIds(messages);
  const calls = unique.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []));
  const results = unique.flatMap((message) => (message.role === "tool" ? [message.callId] : []));
  expect(new Set(calls.map(({ id }) => id)).size).toBe(5);
  expect(results).toEqual(calls.map(({ id }) => id));
});

test("a conversation with an id for each call is sent as it is", () => {
  const messages = [...turn("a"), ...turn("b", "c")];
  expect(withUniqueCallIds(messages)).toBe(messages);
});
