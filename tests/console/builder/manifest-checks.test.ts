import { describe, expect, test } from "bun:test";
import {
  freeName,
  problemsAt,
  problemsAtOnce,
} from "../../../src/console/builder/manifest/manifest-checks.ts";
import { starterManifest } from "../../../src/console/builder/manifest/starter-manifest.ts";
import { readYaml } from "../../../src/manifest/yaml/read-yaml.ts";

describe("what the page sees by itself", () => {
  test("a text that is not YAML, at its line", () => {
    const [problem] = problemsAtOnce(readYaml("a: 1\nb: [\n"), {});
    expect(problem?.line).toBe(3);
    expect(problem?.message).toContain("is not YAML");
  });

  test("another name than the page's, at the name", () => {
    const found = problemsAtOnce(readYaml("kind: Agent\nmetadata:\n  name: other\n"), { fixed: "hello" });
    expect(found).toMatchObject([{ path: "metadata.name", line: 3, column: 9 }]);
    expect(found[0]?.message).toContain("must stay hello");
  });

  test("no name at all where it has to be a certain one", () => {
    expect(problemsAtOnce(readYaml("kind: Agent\n"), { fixed: "hello" })).toMatchObject([
      { path: "metadata.name" },
    ]);
  });

  test("a new agent's name that is taken", () => {
    const reading = readYaml(starterManifest("hello"));
    expect(problemsAtOnce(reading, { taken: ["a", "hello"] })).toMatchObject([{ path: "metadata.name" }]);
    expect(problemsAtOnce(reading, { taken: ["a"] })).toEqual([]);
    expect(problemsAtOnce(reading, { fixed: "hello" })).toEqual([]);
  });
});

describe("a free name", () => {
  test("is the name itself, or the first number that is free", () => {
    expect(freeName("a", ["b"])).toBe("a");
    expect(freeName("a", ["a", "a-2", "a-4"])).toBe("a-3");
  });

  test("is never longer than a name may be, and ends in no double hyphen", () => {
    const long = `${"x".repeat(60)}-yz`;
    expect(freeName(long, [long])).toBe(`${"x".repeat(60)}-2`);
  });
});

test("the problems of a part are its own and those of what is inside it", () => {
  const at = (path: string) => ({ path, message: "" });
  const problems = [at("spec.tools"), at("spec.tools[0].name"), at("spec.toolset"), at("spec.model.primary")];
  expect(problemsAt(problems, "spec.tools").map(({ path }) => path)).toEqual([
    "spec.tools",
    "spec.tools[0].name",
  ]);
  expect(problemsAt(problems, "spec.model")).toHaveLength(1);
});
