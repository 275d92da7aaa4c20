import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { AppError } from "../../../src/kit/app-error.ts";
import { stepsPerPiece } from "../../../src/kit/concurrency/others-turn.ts";
import { defaultJsonLimits, parseStrictJson, readStrictJson } from "../../../src/kit/json/strict-json.ts";
import corpus from "../../corpora/json_bodies.json" with { type: "json" };

function refusalOf(source: Uint8Array | string): AppError {
  try {
    parseStrictJson(source);
  } catch (thrown) {
    if (thrown instanceof AppError) return thrown;
    throw thrown;
  }
  throw new Error(`accepted: ${String(source).slice(0, 80)}`);
}

const bytes = (text: string) => new TextEncoder().encode(text);

test("any JSON value is read as JSON.parse reads it, from text and from bytes", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, "\t"), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const expected: unknown = JSON.parse(text);
      fc.pre(!text.includes("__proto__") && !text.includes("\\u0000") && isWellFormed(expected));
      expect(parseStrictJson(text)).toEqual(expected);
      expect(parseStrictJson(bytes(text))).toEqual(expected);
    }),
  );
});

test("any text is refused as AppError invalid or is read as JSON.parse reads it", () => {
  const token = fc.constantFrom(
    ...'{}[]:,"\\ \n\t-+.eE0123456789ntu',
    "true",
    "false",
    "null",
    '"a"',
    "\\u0041",
    "é",
  );
  fc.assert(
    fc.property(fc.array(token, { maxLength: 20 }), (tokens) => {
      const text = tokens.join("");
      let value: unknown;
      try {
        value = parseStrictJson(text);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(AppError);
        return;
      }
      expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
    }),
    { numRuns: 2000 },
  );
});

test("malformed text is refused wherever JSON.parse refuses it", () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.nat(),
      fc.constantFrom("", ",", "}", '"', "x", "0", "\u0001"),
      (value, at, junk) => {
        const text = JSON.stringify(value);
        const cut = at % text.length;
        const broken = text.slice(0, cut) + junk + text.slice(cut + 1);
        try {
          JSON.parse(broken);
        } catch {
          expect(refusalOf(broken).kind).toBe("invalid");
        }
      },
    ),
    { numRuns: 500 },
  );
});

test("depth counts what is open, not what has been closed", () => {
  const deep = `${"[".repeat(63)}${"]".repeat(63)}`;
  const text = `[${Array.from({ length: 100 }, () => `${deep},{"a":[{}]}`).join()}]`;
  expect(parseStrictJson(text)).toEqual(JSON.parse(text));
});

describe("refusals", () => {
  const cases: [name: string, source: Uint8Array | string, code: string, message: string][] = [
    ["empty", "", "invalid_request", "A JSON value is expected (line 1, column 1)."],
    ["white space only", " \n ", "invalid_request", "A JSON value is expected (line 2, column 2)."],
    [
      "trailing comma",
      '{"a":1,}',
      "invalid_request",
      "A key in double quotes is expected (line 1, column 8).",
    ],
    [
      "missing comma",
      "[1 2]",
      "invalid_request",
      "A comma or a closing bracket is expected (line 1, column 4).",
    ],
    ["missing colon", '{"a" 1}', "invalid_request", "A colon is expected (line 1, column 6)."],
    [
      "text after the value",
      "{}\n{}",
      "invalid_request",
      "Nothing may follow the JSON value (line 2, column 1).",
    ],
    ["unclosed string", '["a', "invalid_request", "A string is not closed (line 1, column 2)."],
    [
      "line break in a string",
      '"a\nb"',
      "invalid_request",
      "A control character in a string must be written as an escape (line 1, column 3).",
    ],
    [
      "unknown escape",
      '"\\x41"',
      "invalid_request",
      "A string is not closed, or holds an unknown escape or a control character (line 1, column 1).",
    ],
    [
      "duplicate key",
      '{"a":1,\n"a":2}',
      "invalid_request",
      'The key "a" stands twice in one object (line 2, column 1).',
    ],
    [
      "duplicate key, spelled differently",
      '{"a":1,"\\u0061":2}',
      "invalid_request",
      'The key "a" stands twice in one object (line 1, column 8).',
    ],
    [
      "__proto__",
      '{"__proto__":{}}',
      "invalid_request",
      'The key "__proto__" is not allowed (line 1, column 2).',
    ],
    [
      "__proto__ behind escapes",
      '{"\\u005f_proto__":{}}',
      "invalid_request",
      'The key "__proto__" is not allowed (line 1, column 2).',
    ],
    [
      "NUL in a key",
      '{"a\\u0000":1}',
      "invalid_request",
      "A string holds the character NUL (line 1, column 2).",
    ],
    [
      "lone surrogate escape",
      '"\\ud800"',
      "invalid_request",
      "A string holds half of a surrogate pair (line 1, column 1).",
    ],
    [
      "lone surrogate in the text",
      '"\ud800"',
      "invalid_request",
      "The JSON text holds half of a surrogate pair.",
    ],
    [
      "byte order mark",
      "\ufeff{}",
      "invalid_request",
      "The JSON text begins with a byte order mark; send it without one (line 1, column 1).",
    ],
    [
      "byte order mark in bytes",
      bytes("\ufeff{}"),
      "invalid_request",
      "The JSON text begins with a byte order mark; send it without one (line 1, column 1).",
    ],
    [
      "invalid UTF-8",
      new Uint8Array([0x22, 0x61, 0xff, 0x22]),
      "invalid_request",
      "The JSON text is not valid UTF-8 (after byte 2).",
    ],
    [
      "UTF-8 cut at the end",
      new Uint8Array([0x22, 0xc3]),
      "invalid_request",
      "The JSON text is not valid UTF-8 (after byte 1).",
    ],
    [
      "65 deep",
      "[".repeat(65),
      "invalid_request",
      "Arrays and objects may be nested 64 deep (line 1, column 65).",
    ],
    ["minus alone", "[-]", "invalid_request", "A digit is expected after the minus sign (line 1, column 2)."],
    [
      "a zero before a digit",
      "[01]",
      "invalid_request",
      "A comma or a closing bracket is expected (line 1, column 3).",
    ],
  ];
  test.each(cases)("%s", (_name, source, code, message) => {
    const refusal = refusalOf(source);
    expect([refusal.kind, refusal.code, refusal.message]).toEqual(["invalid", code, message]);
  });

  test("one key too many", () => {
    const object = (keys: number) => `{${Array.from({ length: keys }, (_, i) => `"k${i}":0`).join()}}`;
    expect(parseStrictJson(object(defaultJsonLimits.keysMax))).toBeObject();
    expect(refusalOf(object(defaultJsonLimits.keysMax + 1)).message).toStartWith(
      "An object may have 10000 keys",
    );
  });
});

describe("numbers", () => {
  const kept: [literal: string, value: number][] = [
    ["1.0", 1],
    ["1e2", 100],
    ["-0", 0],
    ["-0.0", 0],
    ["0e999", 0],
    ["0.1", 0.1],
    ["3.14159265358979323846264", Math.PI],
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", 9007199254740992],
    ["-9007199254740994", -9007199254740994],
    ["10000000000000000000000", 1e22],
    ["1e23", 1e23],
    ["1E+300", 1e300],
    ["0.30000000000000001", 0.3],
    ["5e-324", 5e-324],
  ];
  test.each(kept)("%s is read", (literal, value) => {
    expect(parseStrictJson(`[${literal}]`)).toEqual([value]);
  });

  const changed = [
    "9007199254740993",
    "-9007199254740993",
    "9007199254740993.0",
    "9007199254740993e0",
    "9.007199254740993e15",
    "90071992547409930e-1",
    "9223372036854775807",
    "12345678901234567890",
    "1e400",
    "-1e400",
    "1e-400",
    "1".repeat(400),
  ];
  test.each(changed)("%s would change", (literal) => {
    expect(refusalOf(`{"n":${literal}}`).code).toBe("number_not_representable");
  });

  test("an integer that is accepted is the one that was sent", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 69n), max: 2n ** 69n }), (integer) => {
        try {
          expect(String(parseStrictJson(String(integer)))).toBe(String(integer));
        } catch (thrown) {
          if (!(thrown instanceof AppError)) throw thrown;
          expect(integer > 2n ** 53n || integer < -(2n ** 53n)).toBeTrue();
        }
      }),
    );
  });
});

describe("corpus", () => {
  interface Entry {
    id: string;
    input: string | { repeat?: [string, number]; then?: [string, number]; keys?: number; bytes_hex?: string };
    expected: string;
  }
  /** Refused by the schema or the body limit: as JSON they are valid. */
  const refusedLater = new Set(["json_bodies-014", "json_bodies-028", "json_bodies-031", "json_bodies-045"]);

  const sourceOf = (input: Entry["input"]): Uint8Array | string | undefined => {
    if (typeof input === "string") return bytes(input);
    if (input.bytes_hex !== undefined) return Uint8Array.fromHex(input.bytes_hex);
    if (input.keys !== undefined)
      return `{${Array.from({ length: input.keys }, (_, i) => `"${i}":1`).join()}}`;
    if (input.repeat && input.then)
      return input.repeat[0].repeat(input.repeat[1]) + input.then[0].repeat(input.then[1]);
    return undefined;
  };

  for (const { id, input, expected } of corpus.entries as Entry[]) {
    const source = sourceOf(input);
    if (source === undefined) continue;
    test(`${id}: ${expected}`, () => {
      if (expected.startsWith("400") && !refusedLater.has(id)) {
        expect(refusalOf(source).kind).toBe("invalid");
      } else {
        const text = typeof source === "string" ? source : new TextDecoder().decode(source);
        const value = parseStrictJson(source);
        expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
        expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
      }
    });
  }
});

function isWellFormed(value: unknown): boolean {
  return !/\\ud[89a-f]/i.test(JSON.stringify(value));
}

/** Returns the number of pauses of the work, and its value. */
function pausesOf(text: string): { pauses: number; value: unknown } {
  const work = readStrictJson(text);
  for (let pauses = 0; ; pauses++) {
    const next = work.next();
    if (next.done === true) return { pauses, value: next.value };
  }
}

const mebibyte = 1024 * 1024;
const filled = (unit: string) => unit.repeat(Math.floor(mebibyte / unit.length));

test.each([
  ["numbers", `[${filled("1,")}1]`],
  ["long numbers", `[${filled("1.234567890123456e10,")}1]`],
  ["empty objects", `[${filled("{},")}{}]`],
  ["objects in objects", `[${filled('{"a":{"b":[1]}},')}{}]`],
  ["short texts", `[${filled('"a",')}"a"]`],
  ["escapes", `[${filled('"\\n",')}"a"]`],
  ["keys", `{${Array.from({ length: 9_999 }, (_, n) => `"${n}${"k".repeat(90)}":1`).join(",")}}`],
])("a mebibyte of %s is read in pieces, as JSON.parse reads it", (_, text) => {
  // Each pause ends a piece, and only a full piece ends in a pause.
  const { pauses, value } = pausesOf(text);
  expect(pauses).toBeGreaterThanOrEqual(Math.floor(text.length / stepsPerPiece));
  expect(pauses).toBeGreaterThan(1);
  expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
});

test("an error late in a long text is reported with its place", () => {
  expect(() => pausesOf(`[${filled("1,\n")}x]`)).toThrow(`(line ${Math.floor(mebibyte / 3) + 1}, column 1)`);
});
