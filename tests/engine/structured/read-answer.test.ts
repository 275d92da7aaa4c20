import { describe, expect, test } from "bun:test";
import { compileStructuredOutput } from "../../../src/engine/structured/structured-output.ts";
import { atOnce } from "../../../src/kit/concurrency/others-turn.ts";
import redos from "../../corpora/redos.json" with { type: "json" };
import { processorMs } from "../../support/processor-time.ts";
import { workDone } from "../../support/work-done.ts";

/** Reads answers at once. */
function reader(declared: Record<string, unknown>) {
  const structured = compileStructuredOutput(declared, "spec.output_schema");
  return { read: (answer: string) => atOnce(structured.read(answer)) };
}
const trip = reader({ city: "string", days: "integer" });
const good = { city: "Lima", days: 3 };
const json = JSON.stringify(good);
const pretty = JSON.stringify(good, null, 2);

describe("the JSON of an answer", () => {
  const found: [name: string, answer: string][] = [
    ["the whole answer", json],
    ["the whole answer, with white space around", `\n\n  ${pretty}\r\n`],
    ["the whole answer behind a byte order mark", `\uFEFF${json}`],
    ["a fenced block", `Here you are:\n\n\`\`\`json\n${pretty}\n\`\`\`\nBon voyage!`],
    ["a block without a language", `\`\`\`\n${json}\n\`\`\``],
    ["a block in another language's name", `\`\`\`JSON5\n${json}\n\`\`\``],
    ["a block of tildes", `~~~json\n${json}\n~~~`],
    ["a block of longer fences", `\`\`\`\`\`json\n${json}\n\`\`\`\`\``],
    ["an indented block", `1. Plan\n\n   \`\`\`json\n   ${pretty.replaceAll("\n", "\n   ")}\n   \`\`\``],
    [
      "a block with the line ends of Windows",
      `Yes.\r\n\`\`\`json\r\n${pretty.replaceAll("\n", "\r\n")}\r\n\`\`\`\r\n`,
    ],
    ["a block that is never closed", `\`\`\`json\n${pretty}`],
    ["a block closed behind its last line", `\`\`\`json\n${pretty}\`\`\`\nBye.`],
    ["a block on one line", `\`\`\`json ${json}\`\`\``],
    ["a block on one line, between words", `So: \`\`\`json ${json} \`\`\` as asked.`],
    ["a block that begins on the line of its fence", `\`\`\`json {"city":"Lima",\n"days":3}\n\`\`\``],
    ["a block opened behind words", `The answer is \`\`\`json\n${json}\n\`\`\``],
    ["a block behind a fence with attributes", `\`\`\`json {.numbered}\n${json}\n\`\`\``],
    [
      "the last of two blocks",
      `\`\`\`json\n{"city":"Rome","days":1}\n\`\`\`\nNo:\n\`\`\`json\n${json}\n\`\`\``,
    ],
    [
      "the last block that parses",
      `\`\`\`json\n${json}\n\`\`\`\n\`\`\`sh\nbook --now\n\`\`\`\n\`\`\`json\n{"city":\n\`\`\``,
    ],
    ["a block after one that was never closed", `\`\`\`json\n{"city":\n\`\`\`json\n${json}\n\`\`\``],
    ["a block after prose that mentions fences", `Use \`\`\` to fence.\n\n\`\`\`json\n${json}\n\`\`\``],
    ["a block inside a block", `\`\`\`\`markdown\n# Trip\n\`\`\`json\n${json}\n\`\`\`\n\`\`\`\``],
  ];
  test.each(found)("%s", (_name, answer) => {
    expect(trip.read(answer)).toEqual({ data: good });
  });

  test("may hold fences in its texts", () => {
    const notes = reader({ note: "string" });
    const value = { note: "run:\n```json\n{}\n```\nthen ```x```" };
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
      for (const answer of [
        text,
        `\`\`\`json\n${text}\n\`\`\``,
        `~~~\n${text}\n~~~`,
        `\`\`\`json ${text}\`\`\``,
      ]) {
        expect(notes.read(answer)).toEqual({ data: value });
      }
    }
  });

  test("may be any value that the schema allows", () => {
    const any = reader({});
    const values = [null, true, 0, -1.5e3, "text", [], [1, [2]], {}, { a: { b: null } }];
    for (const value of values) {
      expect(any.read(JSON.stringify(value))).toEqual({ data: value });
      expect(any.read(`So:\n\`\`\`json\n${JSON.stringify(value)}\n\`\`\``)).toEqual({ data: value });
    }
  });

  const missing: [name: string, answer: string, error: RegExp][] = [
    ["an empty answer", "", /holds no JSON/],
    ["words", "I would go to Lima.", /holds no JSON/],
    ["words that begin like JSON", "true to my word, Lima", /holds no JSON/],
    ["a number between words", "42 is the answer", /holds no JSON/],
    ["JSON between words, without fences", `Take ${json} as the answer.`, /holds no JSON/],
    ["a block of code", "```sh\nls\n```", /holds no JSON/],
    ["empty blocks", "```json\n```\n```\n\n```", /holds no JSON/],
    [
      "JSON that is cut",
      '```json\n{"city": "Li',
      /can't be read: A string is not closed \(line 1, column 10\)/,
    ],
    ["a comma too many", '{"city": "Lima", "days": 3,}', /can't be read: A key in double quotes is expected/],
    ["single quotes", "```json\n{'city': 'Lima', 'days': 3}\n```", /can't be read/],
    ["comments", '```json\n{"city": "Lima", // there\n"days": 3}\n```', /can't be read/],
    ["two values", `${json}\n${json}`, /can't be read: Nothing may follow the JSON value/],
    ["a key given twice", '{"city": "Lima", "city": "Rome", "days": 3}', /"city" stands twice/],
    ["a number that would change", '{"city": "Lima", "days": 9007199254740993}', /would change its value/],
    ["a prototype", '{"__proto__": {"days": 3}, "city": "Lima"}', /"__proto__" is not allowed/],
  ];
  test.each(missing)("is missing in %s", (_name, answer, error) => {
    const read = trip.read(answer);
    expect(read.data).toBeNull();
    expect("error" in read && read.error).toMatch(error);
  });
});

describe("what is wrong with the data", () => {
  const order = reader({
    type: "object",
    required: ["id", "items"],
    additionalProperties: false,
    properties: {
      id: { type: "string", format: "uuid" },
      state: { enum: ["open", "closed"] },
      kind: { const: "order" },
      note: { type: ["string", "null"], maxLength: 5, pattern: "^[a-z]*$" },
      items: {
        type: "array",
        minItems: 1,
        uniqueItems: true,
        items: {
          type: "object",
          properties: { price: { type: "number", multipleOf: 0.01, minimum: 0 } },
          required: ["price"],
        },
      },
      place: { oneOf: [{ type: "string" }, { type: "object", properties: { "a/b": { type: "integer" } } }] },
      never: false,
    },
  });
  const valid = { id: "9b2f0c1e-0d5b-4c2e-9f51-0123456789ab", items: [{ price: 19.99 }] };
  const table: [name: string, change: Record<string, unknown>, error: string][] = [
    ["a missing field", { id: undefined }, "id is missing"],
    ["a missing field inside", { items: [{ price: 1 }, {}] }, "items[1].price is missing"],
    ["a field too many", { extra: 1 }, "extra is not allowed"],
    ["a wrong type", { items: {} }, "items must be an array"],
    ["neither of two types", { note: 7 }, "note must be a string or null"],
    ["a wrong type inside", { items: [{ price: "1" }] }, "items[0].price must be a number"],
    ["a word outside the list", { state: "lost" }, 'state must be one of "open","closed"'],
    ["another constant", { kind: "offer" }, 'kind must be "order"'],
    ["a wrong format", { id: "1" }, "id must be a valid uuid"],
    ["a text too long", { note: "abcdef" }, "note must not have more than 5 characters"],
    ["a text that does not match", { note: "A" }, 'note must match pattern "^[a-z]*$"'],
    ["a number too small", { items: [{ price: -1 }] }, "items[0].price must be >= 0"],
    ["a number between the steps", { items: [{ price: 0.001 }] }, "items[0].price must be multiple of 0.01"],
    ["an empty list", { items: [] }, "items must not have fewer than 1 items"],
    [
      "an item twice",
      {
        items: [
          { price: 1, a: 2 },
          { a: 2, price: 1 },
        ],
      },
      "items must not hold the same item twice",
    ],
    ["a field that may not be", { never: 1 }, "never is not allowed"],
    ["a name with a slash", { place: { "a/b": "x" } }, "place.a/b must be an integer"],
  ];
  test.each(table)("the error for %s names the place and what was expected", (_name, change, error) => {
    expect(order.read(JSON.stringify(valid))).toEqual({ data: valid });
    const read = order.read(JSON.stringify({ ...valid, ...change }));
    expect(read.data).toBeNull();
    expect("error" in read && read.error).toContain("does not fit output_schema: ");
    expect("error" in read && read.error).toContain(error);
  });

  test("the error lists at most five faults, in bounded length", () => {
    const read = reader({ type: "array", items: { type: "integer" } }).read(
      JSON.stringify("abcdefghij".split("")),
    );
    expect(read).toEqual({
      data: null,
      error:
        "The JSON in the answer does not fit output_schema: [0] must be an integer; [1] must be an integer; [2] must be an integer; [3] must be an integer; [4] must be an integer; and more.",
    });
    const long = reader({ additionalProperties: false, enum: [["x".repeat(9000)]] }).read(
      JSON.stringify({ ["k".repeat(9000)]: 1 }),
    );
    expect("error" in long && long.error.length).toBeLessThan(1000);
  });

  test("the error names the value itself if it has the wrong type", () => {
    expect(reader({ type: "object" }).read("[1]")).toMatchObject({
      error: expect.stringContaining("the value must be an object"),
    });
  });

  test("only what an answer has counts, not what objects have by themselves", () => {
    const read = reader({ type: "object", required: ["toString"] }).read("{}");
    expect(read).toMatchObject({ data: null, error: expect.stringContaining("toString is missing") });
  });

  test("a fault of one answer is not reported for the next", () => {
    expect(trip.read("{}").data).toBeNull();
    expect(trip.read(json)).toEqual({ data: good });
  });
});

describe("a hostile answer is read in a moment:", () => {
  const any = reader({});
  const answers: [name: string, answer: string][] = [
    ["fences on one line", "```".repeat(50_001)],
    ["fences on lines", "```\n".repeat(50_001)],
    ["fences with languages", "```json\n".repeat(50_001)],
    ["fences of growing length", Array.from({ length: 400 }, (_, at) => "`".repeat(at + 3)).join(" x\n")],
    [
      "fences of growing length on one line",
      Array.from({ length: 400 }, (_, at) => "`".repeat(at + 3)).join(" x "),
    ],
    ["one fence of backticks behind another", `x${"`".repeat(100_000)} ${"`".repeat(99_999)} y`],
    ["tildes", "~~~\n~".repeat(50_000)],
    ["braces", "{".repeat(100_000)],
    ["brackets in a block", `\`\`\`json\n${"[".repeat(100_000)}`],
    ["nested objects", '{"a":'.repeat(100_000)],
    ["nested lists that are closed", `${"[".repeat(50_000)}${"]".repeat(50_000)}`],
    ["quotes", `{"${'\\"'.repeat(200_000)}`],
    ["white space", `${" ".repeat(500_000)}x`],
    ["white space in a block", `\`\`\`\n${" \t".repeat(200_000)}\n\`\`\``],
    ["blocks of broken JSON", '```json\n{"a":\n```\n'.repeat(20_000)],
    ["one broken block that is long", `\`\`\`json\n${"\n".repeat(500_000)}{"a"\n\`\`\``],
    ["half of a surrogate pair", '```json\n"\ud800"\n```'],
    ["NUL", '```json\n"\\u0000"\n```'],
  ];
  test.each(answers)("%s", (_name, answer) => {
    expect(processorMs(() => any.read(answer))).toBeLessThan(1000);
    expect(any.read(answer)).toMatchObject({ data: null, error: expect.any(String) });
  });

  test("more than 1 MiB of JSON is not read as data", () => {
    expect(any.read(JSON.stringify("x".repeat(1024 * 1024)))).toMatchObject({ data: null });
    expect(any.read(JSON.stringify(["x".repeat(1024 * 1024)]))).toMatchObject({
      error: "The JSON in the answer is longer than 1 MiB.",
    });
    expect(any.read(JSON.stringify(["x".repeat(1024 * 1000)]))).toHaveProperty("data");
  });
});

test("an answer is looked through, its schema compiled and its JSON checked in pieces", () => {
  const fields = Array.from({ length: 299 }, (_, n) => [`field${n}`, { type: "string" }]);
  const structured = compileStructuredOutput(
    { type: "object", properties: Object.fromEntries(fields) },
    "spec.output_schema",
  );
  // Loading the library, compiling and the check are a piece each.
  expect(workDone(structured.read("{}"))).toEqual({ pauses: 3, value: { data: {} } });
  const block = `\`\`\`json\n[${"1,".repeat(7000)}\n\`\`\`\n`;
  expect(workDone(structured.read(block.repeat(64))).pauses).toBeGreaterThan(10);
  expect(workDone(structured.read("a line\n".repeat(500_000))).pauses).toBeGreaterThan(10);
});

describe("a hostile schema checks in a moment, or gives up:", () => {
  const doubled = (levels: number) => ({
    $ref: "#/$defs/d0",
    $defs: Object.fromEntries(
      Array.from({ length: levels + 1 }, (_, at) => [
        `d${at}`,
        at === levels
          ? { type: "string" }
          : { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
      ]),
    ),
  });
  const branching = {
    $ref: "#/$defs/a",
    $defs: {
      a: {
        anyOf: ["y", "z"].map((name) => ({ properties: { x: { $ref: "#/$defs/a" } }, required: [name] })),
      },
    },
  };
  const numbers = (count: number) => `[${Array.from({ length: count }, (_, at) => at).join(",")}]`;
  const objects = (count: number) =>
    JSON.stringify(Array.from({ length: count }, (_, at) => ({ at, b: [at] })));
  const table: [name: string, schema: Record<string, unknown>, answer: string, ends: "fits" | "tooLong"][] = [
    ["references doubled 20 times", doubled(40), '"x"', "tooLong"],
    ["references doubled 10 times", doubled(10), '"x"', "fits"],
    [
      "branches at every level of the answer",
      branching,
      `${'{"x":'.repeat(60)}1${"}".repeat(60)}`,
      "tooLong",
    ],
    ["a list of many numbers without twins", { uniqueItems: true }, numbers(100_000), "fits"],
    ["a list of many objects without twins", { uniqueItems: true }, objects(20_000), "fits"],
    [
      "twins sought in large items a hundred times",
      { allOf: Array.from({ length: 200 }, () => ({ uniqueItems: true })) },
      JSON.stringify(["a", "b"].map((text) => [text.repeat(400_000)])),
      "tooLong",
    ],
    [
      "many rules for every one of many items",
      { items: { allOf: Array.from({ length: 290 }, () => ({ minimum: 0 })) } },
      numbers(100_000),
      "tooLong",
    ],
    [
      "a large pattern on a long text",
      { pattern: "^(.{0,900}a.{0,9})y$" },
      JSON.stringify("ab".repeat(300_000)),
      "tooLong",
    ],
    [
      "an exponential pattern, run in linear time",
      { not: { pattern: "^(\\w+\\s?)*$" } },
      JSON.stringify(`${"a".repeat(10_000)}!`),
      "fits",
    ],
    [
      "patterns for every one of many names",
      {
        patternProperties: Object.fromEntries(
          Array.from({ length: 100 }, (_, at) => [`^x.{0,20}${at}$`, true]),
        ),
      },
      JSON.stringify(Object.fromEntries(Array.from({ length: 9000 }, (_, at) => [`name${at}`, 1]))),
      "tooLong",
    ],
    [
      "a pattern on many short texts",
      { items: { pattern: "^[a-z]+$" } },
      JSON.stringify(Array.from({ length: 20_000 }, () => "abc")),
      "fits",
    ],
    [
      "an enum of thousands for many items",
      { items: { enum: Array.from({ length: 5000 }, (_, at) => at) } },
      numbers(5000),
      "tooLong",
    ],
  ];
  test.each(table)("%s", (_name, schema, answer, ends) => {
    const structured = reader(schema);
    structured.read(answer);
    let read: ReturnType<typeof structured.read> | undefined;
    const tookMs = processorMs(() => {
      read = structured.read(answer);
    });
    expect(tookMs).toBeLessThan(2500);
    if (read === undefined) throw new Error("nothing was read");
    if (ends === "fits") expect("error" in read ? read.error : "fits").toBe("fits");
    else expect(read).toEqual({ data: null, error: "The JSON in the answer takes too long to check." });
  });

  test("patterns that others backtrack on are matched in linear time, or refused", () => {
    const texts = ["a", "x", "1 ", " ", "<", "${", "{", "`"].map((piece) => `${piece.repeat(5000)}!`);
    const patterns = redos.entries.map(({ input: { pattern } }) => pattern);
    expect(patterns.length).toBeGreaterThan(10);
    for (const pattern of patterns) {
      const structured = reader({ items: { not: { pattern } } });
      for (const text of texts) {
        const isQuick = processorMs(() => structured.read(JSON.stringify([text]))) < 1000;
        expect({ pattern, isQuick }).toEqual({ pattern, isQuick: true });
      }
    }
  });

  test("the answer after one that took too long has all the time again", () => {
    const structured = reader({ items: { pattern: "^(.{0,900}a.{0,9})y$" } });
    for (const tail of ["y", "z"]) {
      expect(structured.read(JSON.stringify([`${"ab".repeat(300_000)}${tail}`])).data).toBeNull();
      expect(structured.read('["ay"]')).toEqual({ data: ["ay"] });
    }
  });
});
