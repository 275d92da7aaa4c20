import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DaemonClient } from "../../../src/contracts/daemon/client.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import { configWith, daemonParts, notFound, say } from "../recording-shell.ts";

/** A daemon that records its calls and returns the given answers. */
function recording(
  answers: Partial<Record<keyof DaemonClient, unknown>>,
  via: "server" | "store" = "server",
) {
  const asked: unknown[][] = [];
  const client = Object.fromEntries(
    Object.entries(answers).map(([method, answer]) => [
      method,
      async (...args: unknown[]) => {
        asked.push([method, ...args]);
        if (answer instanceof Error) throw answer;
        return answer;
      },
    ]),
  );
  return { asked, parts: daemonParts(client as Partial<DaemonClient>, { via }) };
}

describe("agents", () => {
  test.each([
    ["pause", "pauseAgent", { status: "paused" }, "hello is paused\n"],
    ["deploy", "deployAgent", { status: "ready" }, "hello is ready\n"],
    ["delete", "deleteAgent", { status: "deleted", name: "hello" }, "hello is deleted\n"],
  ] as const)("%s asks the server and says what became of it", async (verb, method, answer, words) => {
    const { asked, parts } = recording({ [method]: answer });
    const said = await say(["agents", verb, "hello"], { parts });
    expect(said).toEqual({ code: 0, stdout: "", stderr: words });
    expect(asked).toEqual([[method, "hello"]]);
    const document = await say(["agents", verb, "hello", "--json"], { parts });
    expect(JSON.parse(document.stdout)).toEqual(answer);
  });

  test.each(["pause", "deploy", "delete"])("%s needs a name", async (verb) => {
    expect((await say(["agents", verb])).code).toBe(2);
  });

  test.each([["pause"], ["deploy"], ["delete"], ["apply"]])(
    "%s without a server changes nothing, unless changes are kept",
    async (verb) => {
      using folder = temporaryFolder();
      writeFileSync(join(folder.path, "hello"), "kind: Agent");
      const setting = { folder: folder.path };
      const answers = {
        pauseAgent: {},
        deployAgent: {},
        deleteAgent: {},
        validateAgent: { valid: true, name: "hello", problems: [] },
        replaceAgent: { name: "hello", status: "ready", persisted: true, file: "agents/hello.agent.yaml" },
      };
      const { asked, parts } = recording(answers, "store");
      const refused = await say(["agents", verb, "hello"], { ...setting, parts });
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain("argosy serve");
      expect(asked).toEqual([]);
      const keeping = { ...parts, loadConfig: async () => configWith({ persistAgents: true }) };
      expect((await say(["agents", verb, "hello"], { ...setting, parts: keeping })).code).toBe(0);
      expect(asked.length).toBeGreaterThan(0);
    },
  );

  test("a refusal is printed with its hint", async () => {
    const { parts } = recording({ pauseAgent: notFound });
    const said = await say(["agents", "pause", "suport"], { parts });
    expect(said.code).toBe(1);
    expect(said.stderr).toContain("Did you mean support?");
  });
});

describe("agents apply", () => {
  const text = "# kept\nkind: Agent\n";

  test.each([
    [{ persisted: false }, "sent is ready\nIt is kept in memory and lost at a restart.\n"],
    [{ persisted: true, file: "agents/sent.agent.yaml" }, "sent is ready, kept in agents/sent.agent.yaml\n"],
  ])("sends the file as it is under the name that it has (%#)", async (more, words) => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, "sent.yaml"), text);
    const { asked, parts } = recording({
      validateAgent: { valid: true, name: "sent", problems: [] },
      replaceAgent: { name: "sent", status: "ready", ...more },
    });
    const said = await say(["agents", "apply", "sent.yaml"], { folder: folder.path, parts });
    expect(said).toEqual({ code: 0, stdout: "", stderr: words });
    expect(asked).toEqual([
      ["validateAgent", text],
      ["replaceAgent", "sent", text],
    ]);
  });

  test("shows each problem with its place, and sends nothing", async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, "sent.yaml"), text);
    const problems = [{ path: "spec", message: "is required", line: 2, column: 1 }];
    const { asked, parts } = recording({ validateAgent: { valid: false, problems } });
    const said = await say(["agents", "apply", "sent.yaml"], { folder: folder.path, parts });
    expect(said).toMatchObject({ code: 2, stdout: "sent.yaml:2:1: spec is required\n" });
    expect(asked).toHaveLength(1);
    const document = await say(["agents", "apply", "sent.yaml", "--json"], { folder: folder.path, parts });
    expect(JSON.parse(document.stdout)).toEqual({ valid: false, problems });
  });

  test.each([
    ["is not there", () => undefined, "can't be read"],
    ["is not UTF-8", (path: string) => writeFileSync(path, Uint8Array.of(0xe9)), "is not valid UTF-8"],
  ])("refuses a file that %s", async (_what, make, message) => {
    using folder = temporaryFolder();
    make(join(folder.path, "sent.yaml"));
    const { parts } = recording({});
    const said = await say(["agents", "apply", "sent.yaml"], { folder: folder.path, parts });
    expect(said.code).toBe(2);
    expect(said.stderr).toContain(`sent.yaml ${message}`);
  });
});
