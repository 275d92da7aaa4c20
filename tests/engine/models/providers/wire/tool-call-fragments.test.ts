import { describe, expect, test } from "bun:test";
import { ToolCallFragments } from "../../../../../src/engine/models/providers/wire/tool-call-fragments.ts";
import { finishToolCalls } from "../../../../../src/engine/models/providers/wire/tool-calls.ts";

let ids = 0;
const newId = () => `new${++ids}`;

/** Returns the calls from the deltas, as `name(arguments)`; unparsable arguments follow `!`. */
function callsOf(deltas: readonly (readonly unknown[])[]): string[] {
  const fragments = new ToolCallFragments();
  for (const delta of deltas) fragments.take(delta);
  return finishToolCalls(fragments.drafts, newId).map(
    ({ name, input, unparsable }) =>
      `${name}(${unparsable === undefined ? JSON.stringify(input) : `!${unparsable}`})`,
  );
}

const piece = (
  index: number | undefined,
  id: string | undefined,
  name: string | undefined,
  args?: unknown,
) => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id }),
  function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) },
});

describe("the calls of an answer", () => {
  const table: [name: string, deltas: unknown[][], calls: string[]][] = [
    [
      "in fragments by index",
      [
        [piece(0, "a", "add", "")],
        [piece(0, undefined, undefined, '{"x"')],
        [piece(0, undefined, undefined, ":1}")],
      ],
      ['add({"x":1})'],
    ],
    [
      "interleaved",
      [
        [piece(0, "a", "add", '{"x":')],
        [piece(1, "b", "sub", '{"y":')],
        [piece(0, undefined, undefined, "1}")],
        [piece(1, undefined, undefined, "2}")],
      ],
      ['add({"x":1})', 'sub({"y":2})'],
    ],
    [
      "several whole ones in one delta",
      [[piece(0, "a", "add", '{"x":1}'), piece(1, "b", "add", '{"x":2}')]],
      ['add({"x":1})', 'add({"x":2})'],
    ],
    [
      "whole ones without an index",
      [[piece(undefined, "a", "add", '{"x":1}')], [piece(undefined, "b", "add", '{"x":2}')]],
      ['add({"x":1})', 'add({"x":2})'],
    ],
    [
      "whole ones with neither index nor id",
      [[piece(undefined, undefined, "add", '{"x":1}')], [piece(undefined, undefined, "add", '{"x":2}')]],
      ['add({"x":1})', 'add({"x":2})'],
    ],
    [
      "several whole ones in one delta that share an id",
      [[piece(undefined, "a", "add", '{"x":1}'), piece(undefined, "a", "add", '{"x":2}')]],
      ['add({"x":1})', 'add({"x":2})'],
    ],
    [
      "all with index 0 and ids of their own",
      [[piece(0, "a", "add", '{"x":1}')], [piece(0, "b", "add", '{"x":2}')]],
      ['add({"x":1})', 'add({"x":2})'],
    ],
    [
      "fragments without an index",
      [
        [piece(undefined, "a", "add", "")],
        [piece(undefined, undefined, undefined, '{"x":')],
        [piece(undefined, undefined, undefined, "1}")],
      ],
      ['add({"x":1})'],
    ],
    [
      "id and name repeated in each fragment",
      [[piece(0, "a", "add", '{"x":')], [piece(0, "a", "add", "1}")]],
      ['add({"x":1})'],
    ],
    [
      "id and name repeated without an index",
      [[piece(undefined, "a", "add", '{"x":')], [piece(undefined, "a", "add", "1}")]],
      ['add({"x":1})'],
    ],
    ["arguments as an object", [[piece(0, "a", "add", { x: 1 })]], ['add({"x":1})']],
    [
      "no arguments",
      [[piece(0, "a", "now", "")], [piece(1, "b", "now")], [piece(2, "c", "now", "null")]],
      ["now({})", "now({})", "now({})"],
    ],
    ["arguments cut off", [[piece(0, "a", "add", '{"x":')]], ['add(!{"x":)']],
    [
      "arguments that are not an object",
      [[piece(0, "a", "add", "[1]")], [piece(1, "b", "add", '"x"')]],
      ["add(![1])", 'add(!"x")'],
    ],
    ["a key given twice", [[piece(0, "a", "add", '{"x":1,"x":2}')]], ['add(!{"x":1,"x":2})']],
    [
      "a new id in each fragment",
      [
        [piece(0, "a", "add", '{"x":')],
        [piece(0, "a2", "", "1}")],
        [piece(0, "a3", undefined)],
        [piece(1, "b", "sub", "{}")],
        [piece(1, "b2", undefined, "")],
      ],
      ['add({"x":1})', "sub({})"],
    ],
    [
      "two named ones with one index and without ids",
      [[piece(0, undefined, "add", '{"x":1}')], [piece(0, undefined, "add", '{"x":2}')]],
      ['add({"x":1})', 'add({"x":2})'],
    ],
    [
      "fragments of two with one index and ids of their own",
      [
        [piece(0, "a", "add", '{"x"')],
        [piece(0, undefined, undefined, ":1}")],
        [piece(0, "b", "add", '{"x":')],
        [piece(0, undefined, undefined, "2}")],
      ],
      ['add({"x":1})', 'add({"x":2})'],
    ],
    [
      "arguments at another index than their call",
      [
        [piece(1, "a", "add", "")],
        [piece(0, undefined, undefined, '{"x":')],
        [piece(0, undefined, undefined, "1}")],
        [piece(3, "b", "sub", "")],
        [piece(2, undefined, undefined, '{"y":2}')],
      ],
      ['add({"x":1})', 'sub({"y":2})'],
    ],
    [
      "the name after the id, at one index",
      [
        [piece(0, "a", "", "")],
        [piece(0, undefined, "add")],
        [piece(0, undefined, undefined, '{"x":1}')],
        [piece(0, "b", "", "")],
        [piece(0, undefined, "sub", '{"y":2}')],
      ],
      ['add({"x":1})', 'sub({"y":2})'],
    ],
    [
      "an index as text",
      [
        [{ ...piece(undefined, "a", "add", '{"x":'), index: "0" }],
        [{ ...piece(undefined, undefined, undefined, "1}"), index: "0" }],
        [{ ...piece(undefined, "b", "add", '{"x":2}'), index: "1" }],
      ],
      ['add({"x":1})', 'add({"x":2})'],
    ],
    [
      "one id for two calls at their own indexes",
      [[piece(0, "a", "add", '{"x":1}')], [piece(1, "a", "add", '{"x":2}')]],
      ['add({"x":1})', 'add({"x":2})'],
    ],
    [
      "braces and quotes within a text, in fragments with new ids",
      [
        [piece(0, "a", "add", '{"x":"}\\"')],
        [piece(0, "a2", undefined, '{"}')],
        [piece(0, "b", "add", "{}")],
      ],
      ['add({"x":"}\\"{"})', "add({})"],
    ],
    ["what is not a call at all", [[null, 7, "x", []]], []],
  ];
  test.each(table)("%s", (_name, deltas, calls) => {
    expect(callsOf(deltas)).toEqual(calls);
  });

  test("arguments nested without end are reported, not followed", () => {
    const [call] = callsOf([[piece(0, "a", "add", '{"x":'.repeat(100_000))]]);
    expect(call).toStartWith("add(!");
    const nested = JSON.parse(`${'{"x":'.repeat(50_000)}1${"}".repeat(50_000)}`) as unknown;
    expect(callsOf([[piece(0, "a", "add", nested)]])[0]).toStartWith("add(!");
  });

  test("each has an id of its own, for any ids of the vendor", () => {
    const fragments = new ToolCallFragments();
    fragments.take([
      piece(0, "same", "a", "{}"),
      piece(1, "same", "b", "{}"),
      piece(2, undefined, "c", "{}"),
    ]);
    const found = finishToolCalls(fragments.drafts, newId).map(({ id }) => id);
    expect(found[0]).toBe("same");
    expect(new Set(found).size).toBe(3);
  });
});
