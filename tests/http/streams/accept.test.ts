import { expect, test } from "bun:test";
import { wantsEventStream } from "../../../src/http/streams/accept.ts";

const table: [accept: string | undefined, wants: boolean][] = [
  [undefined, false],
  ["", false],
  ["*/*", false],
  ["application/json", false],
  ["text/event-stream", true],
  ["Text/Event-Stream; charset=utf-8", true],
  ["text/event-stream;q=0", false],
  ["text/event-stream; q=0.0, */*", false],
  ["application/json, text/event-stream", true],
  ["text/event-stream, */*;q=0.1", true],
  ["application/json;q=0.9, text/event-stream;q=0.5", false],
  ["application/json;q=0.5, text/event-stream;q=0.9", true],
  ["text/event-stream;q=0.5, */*", false],
  ["text/*", true],
  ["text/html, text/*;q=0.3, */*;q=0.8", false],
  ["x-text/event-stream-like", false],
  ["text/event-stream;q=abc", false],
  ["text/event-stream;q=2", false],
  [",;,text/event-stream", true],
];
test.each(table)("%p", (accept, wants) => {
  expect(wantsEventStream(new Headers(accept === undefined ? {} : { accept }))).toBe(wants);
});
