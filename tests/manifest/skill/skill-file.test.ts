import { expect, test } from "bun:test";
import { readSkillFile } from "../../../src/manifest/skill/skill-file.ts";
import { skillNameFault } from "../../../src/manifest/skill/skill-name.ts";

const file = (frontMatter: string, body = "Do it.") => `---\n${frontMatter}\n---\n${body}\n`;
const problemsOf = (text: string, folder = "pdf-forms") => {
  const read = readSkillFile(text, folder);
  return "problems" in read ? read.problems.map(({ path, message, line }) => ({ path, message, line })) : [];
};

test("reads a whole SKILL.md", () => {
  const text = file(
    'name: pdf-forms\ndescription: Fills forms.\nlicense: MIT\ncompatibility: Needs a PDF.\nallowed-tools: read_file\nmetadata:\n  author: ada\n  version: "1.0"',
    "# Forms\n\nSee references/a.md.",
  );
  expect(readSkillFile(text, "pdf-forms")).toEqual({
    skill: {
      name: "pdf-forms",
      description: "Fills forms.",
      license: "MIT",
      compatibility: "Needs a PDF.",
      allowedTools: "read_file",
      metadata: { author: "ada", version: "1.0" },
      instructions: "# Forms\n\nSee references/a.md.",
    },
  });
});

test.each([
  [
    "with Windows line ends and a byte order mark",
    "\uFEFF---\r\nname: pdf-forms\r\ndescription: d\r\n---\r\nDo it.\r\n",
  ],
  ["with a rule in its text", file("name: pdf-forms\ndescription: d", "Do it.\n\n---\n\nMore.")],
  ["without a text", "---\nname: pdf-forms\ndescription: d\n---"],
])("reads a SKILL.md %s", (_, text) => {
  const read = readSkillFile(text, "pdf-forms");
  expect("skill" in read && read.skill.name).toBe("pdf-forms");
});

test("a rule in the text stays a part of it", () => {
  const read = readSkillFile(file("name: pdf-forms\ndescription: d", "One\n---\nTwo"), "pdf-forms");
  expect("skill" in read && read.skill.instructions).toBe("One\n---\nTwo");
});

test.each([
  ["", "", "must begin with front matter", 1],
  ["# Forms", "", "must begin with front matter", 1],
  ["---\nname: pdf-forms\n", "", "must begin with front matter", 1],
  [`\n${file("name: pdf-forms\ndescription: d")}`, "", "must begin with front matter", 1],
  [file("description: d"), "name", "is required", 2],
  [file("name: pdf-forms"), "description", "is required", 2],
  [file('name: pdf-forms\ndescription: ""'), "description", "must not be empty", 3],
  [file("name: 7\ndescription: d"), "name", "must be a text", 2],
  [file(`name: pdf-forms\ndescription: ${"d".repeat(1025)}`), "description", "1024", 3],
  [file("name: other\ndescription: d"), "name", "must be the name of its folder: pdf-forms", 2],
  [file("name: PDF-forms\ndescription: d"), "name", "lower case", 2],
  [file("name: pdf-forms\ndescription: d\nlicence: MIT"), "licence", "did you mean license?", 4],
  [file(`name: pdf-forms\ndescription: d\ncompatibility: ${"c".repeat(501)}`), "compatibility", "500", 4],
  [file("name: pdf-forms\ndescription: d\nmetadata: {version: 1.0}"), "metadata.version", "quotes", 4],
  [file("name: pdf-forms\ndescription: d\nmetadata: [a]"), "metadata", "mapping", 4],
  [file("name: pdf-forms\nname: pdf-forms\ndescription: d"), "name", "", 3],
  [file("name: !!js/function x\ndescription: d"), "", "", 2],
  [file("name: &a pdf-forms\ndescription: *b"), "", "", 3],
])("%j is refused at %s: %s", (text, path, message, line) => {
  const [first] = problemsOf(text);
  expect(first?.path.startsWith(path)).toBe(true);
  expect(first?.message).toContain(message);
  expect(first?.line).toBe(line);
});

test.each([
  ["pdf-forms", undefined],
  ["a", undefined],
  ["über-uns", undefined],
  ["技能", undefined],
  ["a".repeat(64), undefined],
  ["", "empty"],
  ["a".repeat(65), "64"],
  ["-a", "hyphen"],
  ["a-", "hyphen"],
  ["a--b", "two hyphens"],
  ["A", "lower case"],
  ["a_b", "letters, digits and hyphens"],
  ["a b", "letters, digits and hyphens"],
  ["a/b", "letters, digits and hyphens"],
  ["..", "letters, digits and hyphens"],
  ["a\u0000", "letters, digits and hyphens"],
])("the name %j: %s", (name, fault) => {
  if (fault === undefined) expect(skillNameFault(name)).toBeUndefined();
  else expect(skillNameFault(name)).toContain(fault);
});

test("a long front matter that never ends is refused within bounded time", () => {
  const from = performance.now();
  expect(problemsOf(`---\n${"a: b\n".repeat(100_000)}`)).toHaveLength(1);
  expect(problemsOf(`---\n${"\n".repeat(500_000)}`)).toHaveLength(1);
  expect(performance.now() - from).toBeLessThan(5_000);
});
