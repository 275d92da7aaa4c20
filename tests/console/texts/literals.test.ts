import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/*
 * Texts are in `console/texts`, in both languages. The linter refuses texts between elements (`noJsxLiterals`); this test refuses those in
 * properties and in code. `throw new Error("…")` is for developers.
 */

const source = join(import.meta.dir, "../../../src/console");
const files = [...new Bun.Glob("**/*.{ts,tsx}").scanSync({ cwd: source })].filter(
  (path) => !path.startsWith("texts/"),
);

const property =
  /\b(?:title|label|placeholder|aria-label|alt|description|hint|text|lead|header)(?:=|: )"([^"]*\p{L}{2}[^"]*)"/gu;
const sentence = /(?<!throw new Error\()"(\p{Lu}[\p{Ll}']+ \p{Ll}[^"]*)"/gu;
const comment = /^\s*(?:\/\/|\/?\*).*$/gm;

/** Names that are the same in all languages, addresses, and class names. */
const isName = (text: string) => /^(?:Amazon Web Services|Google Cloud|https:.*|ar-.*)$/.test(text);

const textsIn = (code: string) => {
  const plain = code.replaceAll(comment, "");
  return [...plain.matchAll(property), ...plain.matchAll(sentence)]
    .map(([, text = ""]) => text)
    .filter((text) => !isName(text));
};

test("no file of the console has a text beside those of its catalogue", () => {
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((path) =>
    textsIn(readFileSync(join(source, path), "utf8")).map((text) => `${path}: ${text}`),
  );
  expect(found).toEqual([]);
});

test.each([
  ['<Button title="Close" />', ["Close"]],
  ['{ label: "Google Cloud" }, { label: "Save all" }', ["Save all", "Save all"]],
  ['reject(new Unreachable("The server is away."))', ["The server is away."]],
  ['throw new Error("There is no session here.");', []],
  ['// "Not a text"\n  /** "Nor this one" */', []],
])("in %s, %j is refused", (code, texts) => {
  expect(textsIn(code)).toEqual(texts);
});
