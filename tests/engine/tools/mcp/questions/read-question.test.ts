import { describe, expect, test } from "bun:test";
import { readQuestions } from "../../../../../src/engine/tools/mcp/questions/read-question.ts";

const ask = (params: object, method = "elicitation/create") =>
  readQuestions("shop", { q: { method, params } });
const form = (properties: object, more: object = {}) => ({
  message: "Say it.",
  requestedSchema: { type: "object", properties, ...more },
});
const field = (schema: unknown) => form({ x: schema });

describe("a request that no person can answer is refused by name", () => {
  const refused: [string, () => ReturnType<typeof readQuestions>, RegExp][] = [
    ["another method", () => ask({}, "sampling/createMessage"), /asks for "sampling\/createMessage"/],
    ["no object", () => readQuestions("shop", { q: 7 }), /no known form/],
    ["no message", () => ask({ requestedSchema: {} }), /has no message/],
    ["an empty message", () => ask({ message: " " }), /has no message/],
    ["a long message", () => ask({ message: "x".repeat(5000) }), /more than 4096 characters/],
    ["an unknown mode", () => ask({ message: "x", mode: "voice" }), /unknown mode "voice"/],
    ["no schema", () => ask({ message: "x" }), /no schema of type object/],
    [
      "a schema of another type",
      () => ask({ message: "x", requestedSchema: { type: "array" } }),
      /no schema of type object/,
    ],
    ["properties that are none", () => ask(form(7 as never)), /no properties/],
    [
      "a nested object",
      () => ask(field({ type: "object", properties: {} })),
      /"x", which has the type "object"/,
    ],
    [
      "a list of objects",
      () => ask(field({ type: "array", items: { type: "object" } })),
      /list of something else/,
    ],
    ["a reference", () => ask(field({ $ref: "#" })), /has the type "undefined"/],
    ["a field that is no schema", () => ask(field(true)), /is no schema/],
    [
      "an unknown format",
      () => ask(field({ type: "string", format: "password" })),
      /unknown format "password"/,
    ],
    ["no options", () => ask(field({ type: "string", enum: [] })), /has no options/],
    [
      "too many options",
      () => ask(field({ type: "string", enum: Array.from({ length: 101 }, String) })),
      /more than 100 options/,
    ],
    ["an option that is no text", () => ask(field({ type: "string", enum: [7] })), /no short text/],
    ["an option twice", () => ask(field({ type: "string", enum: ["a", "a"] })), /option "a" twice/],
    [
      "limits that nothing fits",
      () => ask(field({ type: "number", minimum: 3, maximum: 2 })),
      /no value fits/,
    ],
    [
      "a text that must be long",
      () => ask(field({ type: "string", minLength: 5000 })),
      /more than 4096 characters/,
    ],
    [
      "a name with hidden characters",
      () => ask(form({ "a\u202e": { type: "string" } })),
      /field with the name/,
    ],
    [
      "a name of the prototype",
      () =>
        ask(
          JSON.parse(
            '{"message":"x","requestedSchema":{"type":"object","properties":{"__proto__":{"type":"string"}}}}',
          ),
        ),
      /field with the name "__proto__"/,
    ],
    ["a long name", () => ask(form({ ["n".repeat(65)]: { type: "string" } })), /field with the name/],
    [
      "a required field that is none",
      () => ask(form({ x: { type: "string" } }, { required: ["y"] })),
      /requires "y"/,
    ],
    [
      "too many fields",
      () =>
        ask(form(Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`f${n}`, { type: "string" }])))),
      /more than 32 fields/,
    ],
    ["a link that is none", () => ask({ message: "x", mode: "url", url: "here" }), /no usable address/],
    [
      "a link to a file",
      () => ask({ message: "x", mode: "url", url: "file:///etc/passwd" }),
      /address with "file:"/,
    ],
    [
      "a link with a script",
      () => ask({ message: "x", mode: "url", url: "javascript:alert(1)" }),
      /address with "javascript:"/,
    ],
    [
      "a link with a password",
      () => ask({ message: "x", mode: "url", url: "https://a:b@example.org" }),
      /with a password/,
    ],
    [
      "a long link",
      () => ask({ message: "x", mode: "url", url: `https://example.org/${"x".repeat(2048)}` }),
      /no usable address/,
    ],
    [
      "too many questions at once",
      () =>
        readQuestions(
          "shop",
          Object.fromEntries(
            Array.from({ length: 6 }, (_, n) => [
              `q${n}`,
              { method: "elicitation/create", params: form({}) },
            ]),
          ),
        ),
      /more than 5 questions/,
    ],
    ["a long key", () => readQuestions("shop", { ["k".repeat(300)]: {} }), /too long a key/],
  ];
  test.each(refused)("%s", (_, read, fault) => {
    expect(read()).toEqual({ fault: expect.stringMatching(fault) });
  });
});

test.each([
  ["password", {}],
  ["apiKey", {}],
  ["api_key", {}],
  ["x", { title: "Your password" }],
  ["x", { title: "Card number" }],
  ["cvv", {}],
  ["seedPhrase", {}],
  ["access-token", {}],
])("a form that asks for %s %p has a warning", (name, more) => {
  const read = ask(form({ [name]: { type: "string", ...more } }));
  expect(read).toMatchObject({
    questions: { q: { warning: expect.stringContaining("looks like a secret") } },
  });
});

test("an honest form has no warning, and its texts lose hidden characters", () => {
  const read = ask({ ...form({ x: { type: "string", title: "Na\u200bme" } }), message: "Who\u202e?" });
  expect(read).toEqual({
    questions: {
      q: {
        server: "shop",
        message: "Who?",
        fields: [{ name: "x", type: "string", required: false, title: "Name" }],
      },
    },
  });
});
