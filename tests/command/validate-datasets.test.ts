import { expect, test } from "bun:test";
import { validateWorkspace } from "../../src/command/validate.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { writeFiles } from "../support/write-files.ts";

test("a dataset is validated with its eval: a case that every answer passes has the file and its line", async () => {
  using folder = temporaryFolder();
  const evalOf = (checks: string) =>
    `apiVersion: platform/v1\nkind: Eval\nmetadata: {name: d}\nspec: {agent: a, ${checks}cases: d.jsonl}\n`;
  const validated = async (checks: string) => {
    writeFiles(folder.path, {
      "evals/d.eval.yaml": evalOf(checks),
      "evals/d.jsonl":
        '{"query":"a","checks":[{"contains":"a"}]}\n{"id":"bare","query":"b","expected":"c"}\n',
    });
    const files = await validateWorkspace({ workspace: folder.path }, []);
    return files.filter(({ problems }) => problems.length > 0);
  };
  expect(await validated("")).toMatchObject([
    {
      file: "evals/d.jsonl",
      problems: [{ line: 2, message: expect.stringContaining('the case "bare" would always pass') }],
    },
  ]);
  expect(await validated("checks: [{contains: a}], ")).toEqual([]);
});
