import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { atOnce } from "../../../src/kit/concurrency/others-turn.ts";
import { readYaml } from "../../../src/manifest/yaml/read-yaml.ts";
import { writeYaml } from "../../../src/manifest/yaml/write-yaml.ts";

const written = (value: unknown) => atOnce(writeYaml(value));

describe("writeYaml", () => {
  test("has a line for each entry, and a block for a text of several lines", () => {
    const manifest = {
      kind: "Agent",
      metadata: { name: "a-b", labels: {} },
      spec: {
        tools: [{ name: "t", list: [1, [2, []]], url: "https://example.com" }],
        prompts: { system: "Answer.\n\n  In one line.", end: "a\nb\n" },
        quoted: ["yes", "null", "2026-01-01", "a: b", " a", "", "- a"],
      },
    };
    expect(written(manifest)).toBe(`kind: Agent
metadata:
  name: a-b
  labels: {}
spec:
  tools:
    - name: t
      list:
        - 1
        - - 2
          - []
      url: "https://example.com"
  prompts:
    system: |-
      Answer.

        In one line.
    end: |
      a
      b
  quoted:
    - "yes"
    - "null"
    - "2026-01-01"
    - "a: b"
    - " a"
    - ""
    - "- a"
`);
  });

  test("is read as the same value", () => {
    const odd = [
      "a",
      "\n",
      " ",
      "\t",
      "#",
      ":",
      "-",
      "|",
      "\u2028",
      "\ufeff",
      "\r",
      "\u007f",
      "'",
      '"',
      "é",
      "%",
      "{",
      "]",
      ",",
      "---",
      "\u0085",
    ];
    const isStorable = (text: string) => text.isWellFormed() && !text.includes("\0");
    const oddText = fc.array(fc.constantFrom(...odd)).map((parts) => parts.join(""));
    const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), oddText).filter(isStorable);
    const long = fc.constantFrom(...["k", "é", " k", "k: "].map((unit) => unit.repeat(1200)));
    const key = fc.oneof(text, text, long).filter((name) => name !== "__proto__" && name !== "<<");
    const number = fc.double({ noNaN: true, noDefaultInfinity: true });
    const leaf = fc.oneof(text, fc.integer(), number, fc.boolean(), fc.constant(null));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        leaf,
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(key, tie("value"), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(key, value), (document) => {
        const reading = readYaml(written(document));
        expect(reading).toMatchObject({ value: JSON.parse(JSON.stringify(document)) });
      }),
      { numRuns: 500 },
    );
  });
});
