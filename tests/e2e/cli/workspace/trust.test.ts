import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../support/temp-folder.ts";

interface Ended {
  args: string[];
  code: number;
  stdout: string;
  stderr: string;
}

/** A workspace whose programs leave a file, and a home without trusted workspaces. */
function hostileWorkspace() {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "workspace");
  const home = join(folder.path, "home");
  for (const path of [join(workspace, "agents"), join(workspace, "tools"), home])
    mkdirSync(path, { recursive: true });
  const canaries = { mcp: join(folder.path, "mcp-ran"), tool: join(folder.path, "tool-ran") };
  writeFileSync(
    join(workspace, "tools/canary.ts"),
    `import { writeFileSync } from "node:fs";
writeFileSync(${JSON.stringify(canaries.tool)}, "ran");
export default { name: "canary", description: "Sings.", parameters: { type: "object" }, async execute() { return {}; } };
`,
  );
  const agent = {
    apiVersion: "platform/v1",
    kind: "Agent",
    metadata: { name: "assistant" },
    spec: {
      model: { primary: { provider: "rehearsal", model: "rehearsal" } },
      tools: [
        { name: "canary", type: "internal" },
        {
          name: "files",
          type: "mcp",
          config: { transport: "stdio", command: "touch", args: [canaries.mcp] },
        },
      ],
    },
  };
  writeFileSync(join(workspace, "agents/assistant.agent.yaml"), JSON.stringify(agent));
  const variables = {
    ...process.env,
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    PLATFORM_AUTO_CONFIG: "false",
  };
  const environment = (trust?: string) => ({ ...variables, ARGOSY_TRUST: trust });
  return {
    workspace,
    home,
    /** Names of the canaries that ran so far. */
    ran: () => Object.entries(canaries).flatMap(([name, path]) => (existsSync(path) ? [name] : [])),
    async perform(calls?: string[][], trust?: string): Promise<Ended[]> {
      const script = join(import.meta.dir, "canaries.ts");
      const child = Bun.spawn([process.execPath, script, ...(calls ? [JSON.stringify(calls)] : [])], {
        cwd: workspace,
        env: environment(trust),
        stdio: ["ignore", "pipe", "inherit"],
      });
      const lines = (await new Response(child.stdout).text()).trim().split("\n");
      expect(await child.exited).toBe(0);
      return lines.map((line) => JSON.parse(line));
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const ask = ["run", "assistant", "Call canary.", "--json"];

describe("a workspace from elsewhere", () => {
  test("runs none of its programs in any command, the server included", async () => {
    using hostile = hostileWorkspace();
    const ended = await hostile.perform();
    expect(ended.length).toBeGreaterThan(200);
    expect(hostile.ran()).toEqual([]);
  }, 300_000);

  test.each([["run"], ["chat"], ["eval"]])(
    "%s is refused with workspace_untrusted and says what to do",
    async (command) => {
      using hostile = hostileWorkspace();
      mkdirSync(join(hostile.workspace, "evals"));
      writeFileSync(
        join(hostile.workspace, "evals/assistant.eval.yaml"),
        JSON.stringify({
          apiVersion: "platform/v1",
          kind: "Eval",
          metadata: { name: "assistant" },
          spec: {
            agent: "assistant",
            cases: [{ id: "a", query: "x", checks: [{ contains: "x" }] }],
          },
        }),
      );
      const args = command === "eval" ? ["eval", "--json"] : [command, "assistant", "--json"];
      const [said] = await hostile.perform([args]);
      expect(said?.code).toBe(1);
      expect(JSON.parse(said?.stdout ?? "")).toMatchObject({
        error: "workspace_untrusted",
        hint: expect.stringContaining(`argosy trust ${hostile.workspace}`),
      });
      expect(hostile.ran()).toEqual([]);
    },
  );

  test("validate and doctor name the reason and the way out", async () => {
    using hostile = hostileWorkspace();
    const [validated, examined] = await hostile.perform([
      ["validate", "--json"],
      ["doctor", "--json"],
    ]);
    expect(validated?.code).toBe(1);
    expect(validated?.stdout).toContain("argosy trust");
    const { checks } = JSON.parse(examined?.stdout ?? "");
    expect(checks.find(({ name }: { name: string }) => name === "tools")).toMatchObject({
      status: "degraded",
      mend: `argosy trust ${hostile.workspace}`,
    });
  });

  test.each([
    ["--trust", [[...ask, "--trust"]], undefined],
    ["ARGOSY_TRUST", [ask], "true"],
    ["argosy trust", [["trust"], ask], undefined],
  ])("its programs run with %s", async (_name, calls, variable) => {
    using hostile = hostileWorkspace();
    const said = await hostile.perform(calls, variable);
    expect(said.map(({ code }) => code)).toEqual(calls.map(() => 0));
    expect(hostile.ran()).toEqual(["mcp", "tool"]);
  });

  test("a trusted one still runs none of them in commands that need no agent", async () => {
    using hostile = hostileWorkspace();
    const reading = [
      ["agents"],
      ["agents", "assistant"],
      ["traces"],
      ["backups"],
      ["logs"],
      ["doctor"],
      ["storage"],
      ["costs"],
      ["memory", "list", "assistant"],
      ["rag", "list"],
      ["approvals"],
      ["tool-calls"],
      ["config"],
      ["mcp"],
    ];
    await hostile.perform([["trust"], ...reading]);
    expect(hostile.ran()).toEqual([]);
  });

  test("trust is listed, taken back, and not inherited by another folder at the same place", async () => {
    using hostile = hostileWorkspace();
    await hostile.perform([["trust"]]);
    const file = join(hostile.home, ".config/argosy/trusted-folders.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).toContain(hostile.workspace);
    const check = ["trust", "--check", "--json"];
    const trusted = async () => JSON.parse((await hostile.perform([check]))[0]?.stdout ?? "").trusted;
    expect(await trusted()).toBe(true);
    const aside = `${hostile.workspace}-before`;
    renameSync(hostile.workspace, aside);
    mkdirSync(hostile.workspace);
    expect(await trusted()).toBe(false);
    rmSync(hostile.workspace, { recursive: true });
    renameSync(aside, hostile.workspace);
    expect(await trusted()).toBe(true);
    const [listed, removed] = await hostile.perform([
      ["trust", "--list", "--json"],
      ["trust", "--remove", "--json"],
    ]);
    expect(JSON.parse(listed?.stdout ?? "").workspaces).toMatchObject([{ folder: hostile.workspace }]);
    expect(JSON.parse(removed?.stdout ?? "")).toMatchObject({ trusted: false, was_trusted: true });
    expect(await trusted()).toBe(false);
  });

  test("argosy init does not trust programs that were there before", async () => {
    using hostile = hostileWorkspace();
    const [said] = await hostile
      .perform([
        ["init", "--agent", "other"],
        ["trust", "--check", "--json"],
      ])
      .then((all) => all.slice(1));
    expect(JSON.parse(said?.stdout ?? "")).toMatchObject({ trusted: false });
  });
});

test("a workspace that argosy init made here is trusted, and one without programs is never asked about", async () => {
  using hostile = hostileWorkspace();
  rmSync(join(hostile.workspace, "tools"), { recursive: true });
  rmSync(join(hostile.workspace, "agents"), { recursive: true });
  const made = await hostile.perform([
    ["init"],
    ["trust", "--check", "--json"],
    ["run", "assistant", "Hello", "--json"],
  ]);
  expect(made.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(JSON.parse(made[1]?.stdout ?? "")).toMatchObject({
    trusted: true,
    programs: ["tools/stock_level.ts"],
  });
  rmSync(join(hostile.workspace, "tools"), { recursive: true });
  const text = readFileSync(join(hostile.workspace, "agents/assistant.agent.yaml"), "utf8");
  writeFileSync(
    join(hostile.workspace, "agents/assistant.agent.yaml"),
    text.slice(0, text.indexOf("  tools:")),
  );
  const [, plain] = await hostile.perform([
    ["trust", "--remove"],
    ["run", "assistant", "Hello", "--json"],
  ]);
  expect(plain?.code).toBe(0);
});
