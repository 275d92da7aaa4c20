import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startModelServer } from "../support/model-server.ts";
import { program } from "../support/program.ts";
import { readToEnd } from "../support/read-to-end.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const agent = (prompt: string, release = "") => `apiVersion: platform/v1
kind: Agent
metadata: {name: clerk}
spec:
  model: {primary: {provider: lab, model: test-model}}
  prompts: {system: "${prompt}"}
${release}`;

const gate = "  release: {requires: [{eval: many, min_score: 1, no_regressions: true}]}\n";

const evalFile = `apiVersion: platform/v1
kind: Eval
metadata: {name: many}
spec:
  agent: clerk
  checks: [{contains: fine}]
  cases: [{id: first, query: one}, {id: second, query: two}]
`;

/** A workspace whose model answers well unless the prompt says otherwise, and the commands in it. */
async function workspace(folder: string) {
  const server = await startModelServer(({ body: { messages } }) => {
    const texts = messages.map(({ content }) => String(content));
    const isRude = texts.some((text) => text.includes("rude")) && texts.at(-1) === "two";
    return { text: isRude ? "no" : "fine" };
  });
  const write = (name: string, text: string) => {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  write("providers.yaml", `providers:\n  lab: {type: openai, endpoint: "${server.url}", api_key_env: KEY}\n`);
  write("evals/many.eval.yaml", evalFile);
  const argosy = async (...args: string[]) => {
    const child = Bun.spawn([...program, ...args], {
      cwd: folder,
      env: { PATH: "/usr/bin:/bin", HOME: folder, PLATFORM_AUTO_CONFIG: "false", KEY: "k" },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const { stdout, stderr, code } = await readToEnd(child);
    return { code, text: stdout + stderr };
  };
  return { server, write, argosy };
}

test("a version serves only after its eval, a worse one is refused by case, and an override is kept", async () => {
  using folder = temporaryFolder();
  const { server, write, argosy } = await workspace(folder.path);
  try {
    write("agents/clerk.agent.yaml", agent("Be kind.", gate));
    const unasked = await argosy("run", "clerk", "hello");
    expect(unasked.code).not.toBe(0);
    expect(unasked.text).toContain("eval many has not asked this version");

    expect(await argosy("eval", "--candidate")).toMatchObject({ code: 0 });
    expect(await argosy("run", "clerk", "hello")).toMatchObject({ code: 0 });

    // Leaving the gate out is no way round it.
    for (const left of [gate, ""]) {
      write("agents/clerk.agent.yaml", agent(`Be rude.${left === "" ? "!" : ""}`, left));
      const failed = await argosy("eval", "--candidate");
      expect(failed.code).toBe(1);
      const refused = await argosy("agents", "clerk");
      expect(refused.text).toContain("below 100 %; failed: second");
      expect(refused.text).toContain("regresses from the version in service in second");
      // Each command is a new process: the version that passed goes on answering.
      expect(await argosy("run", "clerk", "hello")).toMatchObject({ code: 0 });
      expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("Be kind.");
    }

    const overridden = await argosy("eval", "release", "clerk", "--override", "The judge is broken.");
    expect(overridden).toMatchObject({ code: 0 });
    expect(await argosy("run", "clerk", "hello")).toMatchObject({ code: 0 });
    const records = readFileSync(join(folder.path, ".argosy/releases/clerk.jsonl"), "utf8");
    expect(records).toContain('"reason":"The judge is broken."');
    expect(await argosy("eval", "release", "clerk", "--override", "Again.")).toMatchObject({
      code: 1,
      text: expect.stringContaining("No version of clerk waits"),
    });
  } finally {
    await server.stop();
  }
});
