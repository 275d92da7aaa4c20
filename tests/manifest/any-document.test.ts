import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { Value } from "@sinclair/typebox/value";
import fc from "fast-check";
import { AgentSchema } from "../../src/manifest/agent/agent.ts";
import { agentKind } from "../../src/manifest/agent/agent-kind.ts";
import { checkDocument, checkFile } from "../../src/manifest/schema/manifest-kind.ts";
import { readYaml } from "../../src/manifest/yaml/read-yaml.ts";

const folder = new URL("./fixtures/", import.meta.url);
const texts = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), "utf8"));
const documents = texts.flatMap((text) => {
  const reading = readYaml(text.replaceAll(/\$+\{\w+\}/g, "http://x"));
  return "value" in reading ? [reading.value] : [];
});
const kind = agentKind({});

/** Returns a copy in which one place, found by walking `turns`, is replaced, removed or given another key. */
function mutated(value: unknown, turns: readonly number[], replacement: unknown): unknown {
  const [turn = 0, ...rest] = turns;
  if (rest.length === 0 || typeof value !== "object" || value === null) return replacement;
  const keys = Object.keys(value);
  const key = keys[turn % Math.max(keys.length, 1)];
  if (key === undefined) return { [`k${turn}`]: replacement };
  const inner = mutated((value as Record<string, unknown>)[key], rest, replacement);
  if (Array.isArray(value)) return value.map((item, index) => (String(index) === key ? inner : item));
  return { ...value, [turn === 0 ? `${key}_` : key]: inner };
}

const replacement = fc.oneof(
  fc.constantFrom<unknown[]>("x", "a_b", "1.0.0", 0, 0.5, 1, 7, true, null, {}, []),
  fc.jsonValue(),
);
const turns = fc.array(fc.nat({ max: 40 }), { minLength: 3, maxLength: 8 });

test("what is accepted is what the schema accepts, and is not changed by reading it again", () => {
  let accepted = 0;
  fc.assert(
    fc.property(fc.constantFrom(...documents), turns, replacement, (document, at, put) => {
      const checked = checkDocument(kind, mutated(document, at, put));
      if ("problems" in checked) {
        expect(checked.problems.length).toBeGreaterThan(0);
        return;
      }
      accepted++;
      expect(Value.Check(AgentSchema, checked.manifest)).toBe(true);
      expect(checkDocument(kind, checked.manifest)).toMatchObject({ manifest: checked.manifest });
    }),
    { numRuns: 2000 },
  );
  expect(accepted).toBeGreaterThan(0);
});

test("any value is an agent or has problems", () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true, withSparseArray: true }), (value) => {
      const checked = checkDocument(kind, value);
      expect("problems" in checked && checked.problems.length).toBeGreaterThan(0);
    }),
  );
});

test("any text is read or has a problem with a place inside it", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "- ",
      ": ",
      "? ",
      "\n",
      "  ",
      "{",
      "}",
      "[",
      "]",
      ",",
      "&a ",
      "*a",
      "!t ",
      "|",
      ">",
      "#",
      "'",
      '"',
      "\\",
      "%",
      "---",
      "...",
      "<<",
      "~",
      "\t",
      "\r",
    ),
    fc.string({ maxLength: 5, unit: "binary" }),
  );
  const anything = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(anything, (text) => {
      const reading = readYaml(text);
      if ("value" in reading) return;
      const lines = text.split("\n");
      expect(reading.problem.line).toBeLessThanOrEqual(lines.length + 1);
      expect(reading.problem.line).toBeGreaterThanOrEqual(1);
      expect(reading.problem.column).toBeGreaterThanOrEqual(1);
    }),
    { numRuns: 3000 },
  );
});

test("a damaged file is read or has problems with places", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...texts),
      fc.nat(),
      fc.nat({ max: 30 }),
      fc.string({ maxLength: 6 }),
      (text, at, cut, put) => {
        const from = at % text.length;
        const checked = checkFile(kind, text.slice(0, from) + put + text.slice(from + cut), () => "http://x");
        if ("manifest" in checked) return;
        for (const problem of checked.problems) expect(problem.line).toBeGreaterThanOrEqual(1);
      },
    ),
    { numRuns: 1000 },
  );
});
