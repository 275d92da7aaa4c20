import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { program } from "../../../support/program.ts";
import { readToEnd } from "../../../support/read-to-end.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const agent = `apiVersion: platform/v1
kind: Agent
metadata: {name: two}
spec:
  model: {primary: {provider: openai, model: gpt-4o-mini}}
`;

/** Runs the program in the folder. */
async function run(folder: string, ...args: string[]) {
  const child = Bun.spawn([...program, ...args], {
    cwd: folder,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  return readToEnd(child);
}

test("resources in an account that is no longer configured are never deleted, and are forgotten on request", async () => {
  using folder = temporaryFolder();
  const configure = (...accounts: string[]) =>
    writeFileSync(
      join(folder.path, "runtime.yaml"),
      `spec: {translator: {accounts: {${accounts.join(", ")}}}}\n`,
    );
  const local = "local: {provider: gcp, driver: embedded}";
  configure(local, "trial: {provider: aws, driver: embedded}");
  writeFileSync(join(folder.path, "two.yaml"), agent);
  for (const account of ["local", "trial"]) {
    const applied = await run(folder.path, "apply", "two.yaml", "--account", account, "--yes");
    expect(applied).toMatchObject({ code: 0 });
  }
  configure(local);

  const refused = await run(folder.path, "destroy", "two.yaml", "--yes");
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain("Nothing was deleted.");
  expect(refused.stderr).toContain("argosy destroy --forget-missing");

  const forgotten = await run(folder.path, "destroy", "two.yaml", "--yes", "--forget-missing");
  expect(forgotten).toMatchObject({ code: 0, stderr: "Agent/two: 1 deleted.\n" });
  expect(forgotten.stdout).toContain("- two\n");
  expect(forgotten.stdout).toContain("? two-live stays in account trial: bedrock.agent_alias ");
});
