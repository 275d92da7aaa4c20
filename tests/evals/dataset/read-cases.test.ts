import { describe, expect, test } from "bun:test";
import { readCases } from "../../../src/evals/dataset/read-cases.ts";
import { readCsv } from "../../../src/evals/dataset/read-csv.ts";

describe("CSV", () => {
  test("has quotes, commas, line breaks and doubled quotes in fields, and either line end", () => {
    expect(readCsv('a,b\r\n"x, ""y""\nz",\n\nlast,1')).toEqual({
      records: [
        { line: 1, fields: ["a", "b"] },
        { line: 2, fields: ['x, "y"\nz', ""] },
        { line: 5, fields: ["last", "1"] },
      ],
    });
  });

  test("says where a quote is not closed, and where text follows one", () => {
    expect(readCsv('a\n"b')).toMatchObject({ line: 2, problem: expect.stringContaining("not closed") });
    expect(readCsv('a\n"b" c\n')).toMatchObject({
      line: 2,
      problem: expect.stringContaining("after a closing quote"),
    });
  });

  test("becomes cases, with tags, context and JSON columns", () => {
    const text =
      '\uFEFFid,query,expected,tags,context.plan,checks\none,"Hi, you",Hello,a;b c,gold,"[{""contains"": ""hello""}]"\n';
    expect(readCases(text, "csv", [])).toEqual({
      cases: [
        {
          id: "one",
          query: "Hi, you",
          expected: "Hello",
          tags: ["a", "b", "c"],
          context: { plan: "gold" },
          stubs: [],
          checks: [{ contains: "hello" }],
        },
      ],
    });
  });
});

describe("faults have their lines", () => {
  const shared = [{ max_steps: 3 }];
  const faults: [format: "jsonl" | "csv", text: string, line: number, message: RegExp][] = [
    ["jsonl", '{"query": "a"}\n{"query": "b", "querry": 1}\n', 2, /querry.*did you mean/],
    ["jsonl", '{"query": "a"}\n\n{"query"', 3, /can't be read/],
    ["jsonl", '{"query": "a", "query": "b"}', 1, /can't be read/],
    ["jsonl", '{"id": "x", "query": "a"}\n{"id": "x", "query": "b"}', 2, /repeats "x" of line 1/],
    ["jsonl", '{"id": "case-2", "query": "a"}\n{"query": "b"}', 2, /repeats "case-2"/],
    ["jsonl", '{"expected": "a"}', 1, /either `query` or `turns`/],
    ["jsonl", '{"query": "a", "checks": [{"contains": "a", "regex": "b"}]}', 1, /exactly one check/],
    ["jsonl", '{"query": "a", "stubs": [{"tool": "t"}]}', 1, /either `output` or `error`/],
    ["jsonl", "[1]", 1, /must be/],
    ["jsonl", '{"query": "a", "__proto__": {}}', 1, /can't be read/],
    ["jsonl", "", 1, /has no case/],
    ["csv", "query\na,b\n", 2, /2 fields/],
    ["csv", "query,checks\na,nope\n", 2, /checks must be JSON/],
    ["csv", "query,answr\na,b\n", 2, /answr/],
  ];
  test.each(faults)("%s %j", (format, text, line, message) => {
    const reading = readCases(text, format, shared);
    expect(reading).toMatchObject({ faults: [{ line, message: expect.stringMatching(message) }] });
  });
});

describe("a case that every answer passes is a fault with its line, unless the eval has a check for all cases", () => {
  const unchecked: [format: "jsonl" | "csv", text: string, line: number, id: string][] = [
    ["jsonl", '{"query": "a", "checks": [{"contains": "a"}]}\n{"id": "bare", "query": "b"}', 2, "bare"],
    ["jsonl", '{"query": "a", "checks": []}', 1, "case-1"],
    ["jsonl", '{"query": "a", "expected": "a good answer"}', 1, "case-1"],
    ["jsonl", '{"query": "a", "checks": [{"max_latency_ms": 5}]}', 1, "case-1"],
    ["jsonl", '{"query": "a", "checks": [{"forbidden_tools": []}]}', 1, "case-1"],
    ["jsonl", '{"query": "a", "checks": [{"tool_order": []}]}', 1, "case-1"],
    ["jsonl", '{"query": "a", "checks": [{"trajectory": {}}]}', 1, "case-1"],
    ["jsonl", '{"query": "a", "checks": [{"similar": {"to": "b", "min": 0}}]}', 1, "case-1"],
    ["jsonl", '{"query": "a", "checks": [{"judge": {"rubric": "good", "min_score": 0}}]}', 1, "case-1"],
    ["jsonl", '{"turns": [{"query": "a"}, {"query": "b"}]}', 1, "case-1"],
    ["csv", "id,query,expected\none,a,b\n", 2, "one"],
  ];
  test.each(unchecked)("%s %j", (format, text, line, id) => {
    const message = expect.stringMatching(new RegExp(`no check.*"${id}"`));
    expect(readCases(text, format, [])).toMatchObject({ faults: [{ line, message }] });
    expect(readCases(text, format, [{ contains: "a" }])).toMatchObject({ cases: expect.any(Array) });
  });

  test.each([
    '{"turns": [{"query": "a"}, {"query": "b", "checks": [{"contains": "b"}]}]}',
    '{"query": "a", "checks": [{"trajectory": {"order": "exact"}}]}',
    '{"query": "a", "checks": [{"max_latency_ms": 5}, {"not_contains": "b"}]}',
  ])("%j has one", (text) => {
    expect(readCases(text, "jsonl", [])).toMatchObject({ cases: expect.any(Array) });
  });
});
