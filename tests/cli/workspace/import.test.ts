import { expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtParts } from "../../../src/command/parts.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import { say } from "../recording-shell.ts";

const foreign = "name: desk\nsystem_prompt: Hi\nmodel: openai:gpt-4o\nllm_cache: true\n";

test("import prints the manifest, and on stderr what it changed and left out; --write replaces the file", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "desk.agent.yaml");
  writeFileSync(path, foreign);
  const imported = (...args: string[]) =>
    say(["import", ...args, "--workspace", folder.path], { folder: folder.path, parts: builtParts });

  const printed = await imported("desk.agent.yaml");
  expect(printed.code).toBe(0);
  expect(printed.stdout).toContain("kind: Agent");
  expect(printed.stderr).toContain("system_prompt is now `spec.prompts.system`");
  expect(printed.stderr).toContain("left out  spec.llm_cache");
  expect(readFileSync(path, "utf8")).toBe(foreign);

  const written = JSON.parse((await imported("desk.agent.yaml", "--write", "--json")).stdout);
  expect(written).toMatchObject({ kind: "agent", valid: true, written: true });
  expect(readFileSync(path, "utf8")).toBe(written.text);
  expect(readdirSync(folder.path).filter((name) => !name.startsWith("."))).toEqual(["desk.agent.yaml"]);

  writeFileSync(path, "name: desk\nmodel: gpt-4o\ntemperature: hot\n");
  const faulty = await imported("desk.agent.yaml");
  expect(faulty.code).toBe(1);
  expect(faulty.stderr).toContain("to fix");
  expect(await imported("absent.yaml")).toMatchObject({ code: 2, stdout: "" });
  writeFileSync(join(folder.path, "prices.yaml"), "vendors: {}\n");
  expect(await imported("prices.yaml")).toMatchObject({ code: 2, stdout: "" });
});
