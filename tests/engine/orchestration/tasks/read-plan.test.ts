import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readPlan, taskCharsMax } from "../../../../src/engine/orchestration/tasks/read-plan.ts";
import { scanJson, type Text } from "../../../../src/engine/orchestration/tasks/scan-json.ts";

describe("a plan is read", () => {
  const ab = ["a", "b"];
  const table: [name: string, text: string, tasks: string[]][] = [
    ["from an object", '{"steps": ["a", "b"]}', ab],
    ["from a bare list", '["a", "b"]', ab],
    ["under other names", '{"subtasks": ["a", "b"]}', ab],
    ["from a plan in a plan", '{"plan": {"steps": ["a", "b"]}}', ab],
    ["from a list with the plan in it", '[{"steps": ["a", "b"]}]', ab],
    ["from a fence", '```json\n{"steps": ["a", "b"]}\n```', ab],
    ["from a fence without its end", '```json\n{"steps": ["a", "b"]}', ab],
    ["out of prose", 'Sure! Here it is:\n{"steps": ["a", "b"]}\nShall I begin?', ab],
    ["with brackets in the prose", 'As in [1] (see {x}): {"steps": ["a", "b"]} — [sic].', ab],
    ["within brackets that are not JSON", '{my plan: {"steps": ["a", "b"]}}', ab],
    ["deeper within them", '{ { { {"steps": ["a", "b"]} } } }', ab],
    ["after a bracket that nothing closes", 'I have { to say: {"steps": ["a", "b"]}', ab],
    ["before a bracket that nothing closes", '{"steps": ["a", "b"]} and [ so on', ab],
    ["after a quote that nothing closes", 'a [ "quote\n{"steps": ["a", "b"]}', ab],
    ["after an apostrophe", `Here's the plan, it's short: {"steps": ["a", "b"]}`, ab],
    ["after a bracket closed wrongly", '( ] } {"steps": ["a", "b"]}', ab],
    ["the last of several", '{"steps": ["x"]}\nBetter:\n{"steps": ["a", "b"]}', ab],
    ["an object rather than a list beside it", '{"steps": ["a", "b"]} Notes: ["x"]', ab],
    ["with brackets in its strings", '{"steps": ["a ]}", "b [{"]}', ["a ]}", "b [{"]],
    ["with quotes in its strings", String.raw`{"steps": ["say \"]}\"", "b"]}`, ['say "]}"', "b"]],
    ["with objects", '{"steps": [{"description": "a"}, {"task": "b"}]}', ab],
    ["with numbered objects", '[{"step": 1, "description": "a"}, {"step": 2, "title": "b"}]', ab],
    ["with objects under names of their own", '[{"first": "a"}, {"second": "b"}]', ab],
    ["with texts and objects", '["a", {"action": "b", "tool": "x"}]', ab],
    ["without what is not a task", '["a", 1, null, "", "  ", {}, {"n": 1}, ["x"], "b"]', ab],
    ["with tasks trimmed", '[" a\\n", "\\tb "]', ab],
    ["not, when there is none", "I would first look, then answer.", []],
    ["not from an empty list", '{"steps": []}', []],
    ["not from an empty object", "{}", []],
    ["not from an empty text", "", []],
    ["not from other JSON", '{"answer": ["a"]}', []],
    ["not from what broke off", '{"steps": ["a", "b', []],
    ["not from text in place of a list", '{"steps": "a"}', []],
    ["not from plain values", '"a"', []],
    ["but not from any depth", `${'{"plan": '.repeat(9)}["a"]${"}".repeat(9)}`, []],
  ];
  test.each(table)("%s", (_, text, tasks) => {
    expect(readPlan(text)).toEqual(tasks);
  });

  test("with long tasks cut, and many left out", () => {
    const [task = ""] = readPlan(JSON.stringify(["😀".repeat(taskCharsMax)]));
    expect([task.length, task.isWellFormed(), task.endsWith("…")]).toEqual([taskCharsMax + 1, true, true]);
    expect(readPlan(JSON.stringify(Array(5000).fill("a")))).toHaveLength(100);
  });

  test("as it was written, with any text around it", () => {
    const noise = fc.string({
      unit: fc.constantFrom("a", " ", "(", ")", "]", "}", "`", "'", ":", "\n", "é"),
    });
    const tasks = fc.array(
      fc.string({ minLength: 1 }).filter((task) => task.trim() !== ""),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(noise, tasks, noise, (before, steps, after) => {
        const text = `${before}\n${JSON.stringify({ steps })}\n${after}`;
        expect(readPlan(text)).toEqual(steps.map((step) => step.trim()));
      }),
      { seed: 20_261_121 },
    );
  });
});

test("of very many pieces of JSON the last are read", () => {
  expect(readPlan('["x"]'.repeat(5000) + "[1, 2, 3]".repeat(900))).toEqual(["x"]);
  expect(readPlan('["x"]'.repeat(5000) + "[1, 2, 3]".repeat(1100))).toEqual([]);
});

test("all JSON in a text is found in its order", () => {
  expect(scanJson('x {"a": [1]} y [2, {broken [3, 4]} z [55, 6]')).toEqual([{ a: [1] }, [3, 4], [55, 6]]);
});

/** Counts the characters that are read in total. */
function effortOf(source: string): number {
  let effort = 0;
  const text: Text = {
    length: source.length,
    charCodeAt(at) {
      effort++;
      return source.charCodeAt(at);
    },
    slice(start, end) {
      const part = source.slice(start, end);
      effort += part.length;
      return part;
    },
  };
  readPlan(text);
  return effort;
}

describe("hostile text takes effort in proportion to its length:", () => {
  const MiB = 1024 * 1024;
  const table: [name: string, unit: string, before?: string, after?: string][] = [
    ["open braces", "{"],
    ["open brackets", "["],
    ["closed braces", "}"],
    ["fences", "```"],
    ["fences with a name", "```json\n"],
    ["quotes", '"'],
    ["backslashes", "\\", '["'],
    ["quotes in a bracket", '"', "["],
    ["empty objects", "{}"],
    ["broken objects", "{a}"],
    ["broken pairs", "{[}]"],
    ["the start of a plan", '{"steps": ["'],
    ["the start of a list", '["a", '],
    ["short plans", '{"steps":["a"]}'],
    ["brackets in a broken one", "[1]", "{", "}"],
    ["a long string", "x", '["', '"]'],
    ["a long string without an end", "x", '["'],
    ["spaces", " ", "{", "}"],
  ];
  test.each(table)("%s", (_, unit, before = "", after = "") => {
    const sized = (chars: number) => before + unit.repeat(Math.floor(chars / unit.length)) + after;
    const [half, whole] = [effortOf(sized(MiB / 2)), effortOf(sized(MiB))];
    expect(whole / half).toBeLessThan(2.1);
    expect(whole).toBeLessThan(6 * MiB);
  });

  test("nested brackets, in order and broken", () => {
    for (const inmost of ["", "1", "x", '"a"', '{"steps": ["a"]}']) {
      const nested = (depth: number) => "[".repeat(depth) + inmost + "]".repeat(depth);
      const [half, whole] = [effortOf(nested(MiB / 4)), effortOf(nested(MiB / 2))];
      expect(whole / half).toBeLessThan(2.1);
      expect(whole).toBeLessThan(6 * MiB);
    }
  });
});
