import { expect } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { services } from "../../../src/compose/services.ts";
import { argosy, type Ended, executableTest, startServer } from "../../support/executable.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const commands = [
  ["agents"],
  ["agents", "assistant", "--json"],
  ["agents", "nobody"],
  ["traces"],
  ["traces", "nothing", "--json"],
  ["run", "assistant", "What time is it in Tokyo?", "--session", "s1"],
  ["run", "assistant", "Hello.", "--trace"],
  ["run", "nobody", "Hello."],
  ["doctor"],
];

/** Returns the output of the commands in a new workspace, without the parts that differ between runs. */
async function saidInWorkspace(prepare: (folder: string) => Promise<AsyncDisposable>): Promise<object[]> {
  using folder = temporaryFolder();
  await argosy(folder.path, ["init"]);
  await argosy(folder.path, ["run", "assistant", "Hello."]);
  await using _ = await prepare(folder.path);
  const said: object[] = [];
  for (const args of commands) said.push({ args, ...settled(await argosy(folder.path, args), folder.path) });
  return said;
}

function settled({ code, stdout, stderr }: Ended, folder: string): Ended {
  const settle = (text: string) =>
    text
      .replaceAll(folder, "<folder>")
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)/g, "<time>")
      .replaceAll(/\d+(\.\d+)? (ms|s|GiB)\b/g, "<amount>")
      .replaceAll(/(?<=timestamp is )\d+/g, "<number>")
      .replaceAll(/(?<=with the key )[0-9a-f]+/g, "<key>")
      .replaceAll(/\d+(?= of \d+ files and connections)/g, "<number>")
      .replaceAll(/ +/g, " ");
  return { code, stdout: settle(stdout), stderr: settle(stderr) };
}

executableTest(
  "a command says the same whether a server answers it or it opens the store itself",
  async () => {
    const byStore = await saidInWorkspace(async () => ({ async [Symbol.asyncDispose]() {} }));
    const byServer = await saidInWorkspace((folder) =>
      startServer(folder, { services: services.map(({ name }) => name) }),
    );
    expect(byServer).toEqual(byStore);
  },
);

executableTest("a command sees the files as they are, also those saved a moment before", async () => {
  using folder = temporaryFolder();
  await argosy(folder.path, ["init"]);
  await using _ = await startServer(folder.path);
  const path = join(folder.path, "agents/late.agent.yaml");
  const text = (description: string) =>
    `apiVersion: platform/v1\nkind: Agent\nmetadata: {name: late}\nspec:\n  identity: {description: ${description}}\n  model: {primary: {provider: rehearsal, model: rehearsal}}\n`;
  const described = async () =>
    JSON.parse((await argosy(folder.path, ["agents", "late", "--json"])).stdout).description;
  for (const description of ["first", "second", "third"]) {
    writeFileSync(path, text(description));
    expect(await described()).toBe(description);
  }
  expect(await argosy(folder.path, ["run", "late", "Hello."])).toMatchObject({ code: 0 });
  rmSync(path);
  expect(await argosy(folder.path, ["run", "late", "Hello.", "--json"])).toMatchObject({ code: 1 });
});
