import { describe, expect, test } from "bun:test";
import type { Command } from "commander";
import type { ExitCode } from "../../src/cli/exit-codes.ts";
import { createProgram } from "../../src/cli/program.ts";
import { AppError } from "../../src/kit/app-error.ts";
import { configWith, daemonParts, notFound, say } from "./recording-shell.ts";

describe("calls that can't be understood", () => {
  const cases: [args: string[], message: RegExp][] = [
    [["srve"], /unknown command 'srve'.*Did you mean serve\?/s],
    [["serve", "--prot", "1"], /unknown option '--prot'.*Did you mean --port\?/s],
    [["run"], /missing required argument 'agent'/],
    [["agents", "a", "b"], /too many arguments/],
    [["schema", "agnt"], /Allowed choices are agent, rag-pipeline/],
    [["traces", "--limit", "0"], /whole number from 1 to 100/],
    [["traces", "--limit", "101"], /whole number from 1 to 100/],
    [["run", "a", "q", "--context", "{}", "--context-file", "f"], /cannot be used with/],
    [["run", "a", "q", "--context", "[1]"], /--context must be a JSON object/],
    [["run", "a", "q", "--context", "{'a': 1}"], /--context: .*line 1, column 2/],
    [["run", "a", "q", "--context-file", "missing.json"], /missing\.json can't be read/],
    [["run", "a", "  "], /The query is empty/],
    [["--log-level", "loud", "version"], /Allowed choices are debug, info, warning, error/],
  ];
  test.each(cases)("%j", async (args, message) => {
    const said = await say(args);
    expect(said.code).toBe(2);
    expect(said.stdout).toBe("");
    expect(said.stderr).toStartWith("error: ");
    expect(said.stderr).toMatch(message);

    const asJson = await say([...args, "--json"]);
    expect(asJson.code).toBe(2);
    expect(asJson.stderr).toBe("");
    const document = JSON.parse(asJson.stdout);
    expect(document.error).toBe("usage");
    expect(`${document.message} ${document.hint}`).toMatch(message);
  });
});

test("serve, which is defined without the other commands, has the same help as among them", async () => {
  const alone = await say(["serve", "--help"]);
  expect(alone.stdout).toStartWith("Usage: argosy serve ");
  expect(alone.stdout).toBe((await say(["help", "serve"])).stdout);
});

test("no arguments ask for help, on stdout", async () => {
  const said = await say([]);
  expect(said).toMatchObject({ code: 0, stderr: "" });
  for (const name of ["serve", "run", "chat", "validate", "completion"]) expect(said.stdout).toContain(name);
});

test("the version has a command and an option", async () => {
  const said = await say(["version"]);
  expect(said.stdout).toMatch(/^argosy \d+\.\d+\.\d+ \(.*bun [\d.]+, \S+\)\n$/);
  expect(await say(["--version"])).toEqual(said);
  expect(Object.keys(JSON.parse((await say(["version", "--json"])).stdout))).toEqual([
    "version",
    "commit",
    "bun",
    "platform",
  ]);
});

test("help tells a command's options and the global ones", async () => {
  const said = await say(["help", "run"]);
  expect(said.code).toBe(0);
  for (const option of ["--session", "--trace", "--workspace", "--json"])
    expect(said.stdout).toContain(option);
});

test("global options are accepted before and after the command", async () => {
  const asked: object[] = [];
  const parts = daemonParts({ listAgents: async () => ({ agents: [] }) }, { asked });
  await say(["--workspace", "w", "--data", "d", "agents"], { parts });
  await say(["agents", "--workspace", "w", "--data", "d"], { parts });
  expect(asked).toEqual([
    { workspace: "w", data: "d" },
    { workspace: "w", data: "d" },
  ]);
});

describe("an error", () => {
  const failing = (error: unknown) => ({
    parts: {
      loadConfig: async () => {
        throw error;
      },
    },
  });
  const twoProblems = new AppError("invalid", "invalid_config", "The configuration is not valid.", {
    details: {
      problems: [
        { path: "PLATFORM_PORT", message: "must be a port" },
        { path: "spec.x", message: "is not known", line: 3, column: 5 },
      ],
    },
  });

  test("shows message, hint and problems on stderr", async () => {
    const said = await say(["config"], failing(twoProblems));
    expect(said.stdout).toBe("");
    expect(said.stderr).toBe(
      "error: The configuration is not valid.\n  PLATFORM_PORT must be a port\n  3:5: spec.x is not known\n",
    );
  });

  test("is one document on stdout with --json", async () => {
    const said = await say(["config", "--json"], failing(twoProblems));
    expect(said.stderr).toBe("");
    expect(JSON.parse(said.stdout)).toEqual({
      error: "invalid_config",
      message: "The configuration is not valid.",
      problems: twoProblems.details.problems,
    });
  });

  const endings: [error: Error, code: ExitCode][] = [
    [twoProblems, 2],
    [new AppError("unprocessable", "invalid_manifest", "providers.yaml:1:1: no"), 2],
    [new AppError("unprocessable", "guardrail_blocked", "no"), 1],
    [notFound, 1],
    [new AppError("unavailable", "no_provider_available", "no"), 1],
    [new Error("a bug"), 1],
  ];
  test.each(endings.map(([error, code]) => ({ name: String(error), error, code })))(
    "$name ends with $code",
    async ({ error, code }) => {
      expect((await say(["config"], failing(error))).code).toBe(code);
    },
  );

  test("keeps what we did not mean to say to itself", async () => {
    const said = await say(["config"], failing(new Error("postgres://user:secret@host")));
    expect(said.stderr).not.toContain("secret");
    expect(said.stderr).toContain("--log-level debug");
    const debugged = await say(["config", "--log-level", "debug"], failing(new Error("user:secret@host")));
    expect(debugged.stderr).not.toContain("secret");
    expect(debugged.stderr).toContain("command-line.test.ts");
  });

  test("can't steer the terminal", async () => {
    const error = new AppError("invalid", "x", "\u001b]0;owned\u0007\u009b2J");
    const said = await say(["config"], { ...failing(error), terminal: true });
    expect(said.stderr).toContain("\\u001b]0;owned\\u0007\\u009b2J");
    expect(Bun.stripANSI(said.stderr)).not.toMatch(/[^\P{Cc}\n]/u);
  });
});

describe("colours", () => {
  const parts = {
    providerRows: async () => [],
    loadConfig: async () =>
      configWith({
        settings: [{ key: "host", value: "127.0.0.1", source: "default" as const, name: "built in" }],
      }),
  };
  test("are for terminals alone", async () => {
    expect((await say(["config"], { parts, terminal: true })).stdout).toContain("\u001b[");
    expect((await say(["config"], { parts })).stdout).not.toContain("\u001b[");
  });
  test("end with --no-color", async () => {
    expect((await say(["config", "--no-color"], { parts, terminal: true })).stdout).not.toContain("\u001b[");
  });
});

test.each(["platform", "mcp", "memory", "rag", "secrets"])(
  "%s without a command prints its commands and is called wrongly",
  async (group) => {
    const said = await say(group.split(" "));
    expect(said).toMatchObject({ code: 2, stdout: "" });
    expect(said.stderr).toStartWith(`Usage: argosy ${group} `);
    const { error, message } = JSON.parse((await say([...group.split(" "), "--json"])).stdout);
    expect(error).toBe("usage");
    expect(message).toContain("needs a command: ");
  },
);

describe("an unknown command", () => {
  const groups: string[][] = [];
  const walk = (command: Command, path: string[]): void => {
    const isGroup = path.length > 0 && command.commands.length > 0;
    if (isGroup && command.registeredArguments.length === 0) groups.push(path);
    for (const inner of command.commands) walk(inner, [...path, inner.name()]);
  };
  walk(
    createProgram(async () => {}),
    [],
  );

  test.each(groups.map((path) => [path.join(" "), path] as const))(
    "after %s names the group's commands",
    async (_name, path) => {
      const { code, stdout } = await say([...path, "nonsense", "--json"]);
      const { error, message } = JSON.parse(stdout);
      expect([code, error]).toEqual([2, "usage"]);
      expect(message).toMatch(/has no command "nonsense"|unknown command 'nonsense'/);
    },
  );

  test("does not blame the group when the command was named", async () => {
    const { stdout } = await say(["platform", "tenants", "list", "extra", "--json"]);
    expect(JSON.parse(stdout).message).toStartWith("too many arguments for 'list'");
  });
});
