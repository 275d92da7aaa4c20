import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readYaml } from "../../../../src/manifest/yaml/read-yaml.ts";
import { keepValues, type ReadText } from "../../../../src/services/daemon/manifests/kept-values.ts";
import corpus from "../../../corpora/yaml_manifests.json" with { type: "json" };
import { temporaryFolder } from "../../../support/temp-folder.ts";

const plain = (text: string) => text;

const documentOf = (text: string): ReadText => {
  const reading = readYaml(text);
  return "problem" in reading ? { text } : { text, document: reading.value };
};

function setUp(program = "argosy 1") {
  const folder = temporaryFolder();
  const path = join(folder.path, "manifest-values.json");
  const keep = (texts: string[]) => keepValues(path, program, plain).keep(texts.map(documentOf));
  return { path, keep, [Symbol.dispose]: folder[Symbol.dispose] };
}

/** Keeps another value than the text's, by which a test sees whether the kept one was taken. */
function forge(path: string, program: string, text: string) {
  keepValues(path, program, plain).keep([{ text, document: { kept: true } }]);
}

test("a value that was kept is taken instead of parsing the text, once", () => {
  using set = setUp();
  forge(set.path, "argosy 1", "a: 1\n");
  const reader = keepValues(set.path, "argosy 1", plain);
  expect(reader.read("a: 1\n")).toMatchObject({ value: { kept: true } });
  expect(reader.read("a: 1\n")).toMatchObject({ value: { a: 1 } });
  expect(reader.read("a: 2\n")).toMatchObject({ value: { a: 2 } });
});

test.each([
  ["another program wrote", (file: string) => file.replace("argosy 1 ", "argosy 2 ")],
  ["is cut off", (file: string) => file.slice(0, -5)],
  ["was changed", (file: string) => file.replace("true", "null")],
  ["is empty", () => ""],
  ["is something else", () => "\u0000\u0001"],
])("a file that %s is ignored", (_, damage) => {
  using set = setUp();
  forge(set.path, "argosy 1", "a: 1\n");
  expect(keepValues(set.path, "argosy 1", plain).read("a: 1\n")).toMatchObject({ value: { kept: true } });
  const damaged = damage(readFileSync(set.path, "utf8"));
  writeFileSync(set.path, damaged);
  expect(keepValues(set.path, "argosy 1", plain).read("a: 1\n")).toMatchObject({ value: { a: 1 } });
});

function textOf({ input }: (typeof corpus.entries)[number]): string {
  if (typeof input === "string") return input;
  const [[first, times], [last, lastTimes]] = [input.repeat, input.then] as [
    [string, number],
    [string, number],
  ];
  return first.repeat(times) + last.repeat(lastTimes);
}

test("every text of the corpus is read the same with and without its kept value", () => {
  using set = setUp();
  const texts = [...corpus.entries.map(textOf), "a: -0\n", "2: x\n1: y\n", 'a: "\\ud800"\n'];
  set.keep(texts);
  const reader = keepValues(set.path, "argosy 1", plain);
  let values = 0;
  for (const text of texts) {
    const [kept, plain] = [reader.read(text), readYaml(text)];
    if ("problem" in plain) expect(kept).toEqual(plain);
    else {
      values++;
      if ("problem" in kept) throw new Error(kept.problem.message);
      expect(Bun.deepEquals(kept.value, plain.value, true)).toBeTrue();
      expect(Object.keys(kept.value)).toEqual(Object.keys(plain.value));
      for (const name of Object.keys(plain.value))
        for (const at of ["key", "value"] as const)
          expect(kept.locate([name], at)).toEqual(plain.locate([name], at));
    }
  }
  expect(values).toBeGreaterThan(5);
});

test("the file is the owner's alone, and holds the present texts only", () => {
  using set = setUp();
  const reader = keepValues(set.path, "argosy 1", plain);
  reader.keep([documentOf("a: first\n"), documentOf("b: second\n"), { text: "c: [" }]);
  expect(statSync(set.path).mode & 0o777).toBe(0o600);
  reader.keep([documentOf("b: second\n")]);
  const file = readFileSync(set.path, "utf8");
  expect(file).toContain("second");
  expect(file).not.toContain("first");
});

test("a file with the present texts is not written again", () => {
  using set = setUp();
  set.keep(["a: 1\n", "b: 2\n"]);
  const before = statSync(set.path).ino;
  set.keep(["b: 2\n", "a: 1\n"]);
  expect(statSync(set.path).ino).toBe(before);
  set.keep(["b: 2\n"]);
  expect(statSync(set.path).ino).not.toBe(before);
});

test("without manifests nothing is written, and what can't be written is left out", () => {
  using set = setUp();
  set.keep([]);
  expect(existsSync(set.path)).toBeFalse();
  const reader = keepValues(join(set.path, "missing", "file"), "argosy 1", plain);
  expect(() => reader.keep([documentOf("a: 1\n")])).not.toThrow();
});

test("a manifest with a secret is not kept, known or not", () => {
  using set = setUp();
  const mask = (text: string) => text.replaceAll("hunter2hunter2", "[redacted]");
  const texts = ["a: hunter2hunter2\n", "password: correct-horse-battery\n", "api_key_env: MODEL_KEY\n"];
  keepValues(set.path, "argosy 1", mask).keep(texts.map(documentOf));
  const file = readFileSync(set.path, "utf8");
  expect(file).not.toMatch(/hunter2|correct-horse/);
  expect(file).toContain("MODEL_KEY");
});
