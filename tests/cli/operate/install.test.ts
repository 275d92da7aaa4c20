import { describe, expect, test } from "bun:test";
import { Command } from "commander";
import { forEachCommand } from "../../../src/cli/command-line.ts";
import { manPage } from "../../../src/cli/operate/install/man-page.ts";
import { createProgram } from "../../../src/cli/program.ts";
import { builtParts } from "../../../src/command/parts.ts";
import { configWith, say } from "../recording-shell.ts";

describe("the man page", () => {
  const page = manPage(
    createProgram(async () => {}),
    "1.2.3",
  );

  test("has every command that does something, with its options", () => {
    const missing: string[] = [];
    const walk = (command: Command, name: string): void => {
      if (command.commands.length === 0 && !page.includes(`.SS ${name.replaceAll("-", "\\-")}`))
        missing.push(name);
      for (const { flags } of command.options)
        if (!page.includes(`.B ${flags.replaceAll("-", "\\-")}`)) missing.push(`${name} ${flags}`);
      for (const inner of command.commands) walk(inner, `${name} ${inner.name()}`);
    };
    walk(
      createProgram(async () => {}),
      "argosy",
    );
    expect(missing).toEqual([]);
  });

  test("text cannot become a request of roff", () => {
    const program = new Command("x").addCommand(
      new Command("y").description(".so /etc/passwd").option("--a", "'br \\n"),
    );
    const lines = manPage(program, "1").split("\n");
    expect(lines).toContain("\\&.so /etc/passwd.");
    expect(lines).toContain("\\&'br \\en");
  });

  const man = Bun.which("man");
  const named = man === null ? "man accepts it (man not installed)" : "man accepts it";
  test.skipIf(man === null)(named, async () => {
    const child = Bun.spawn(["man", "--warnings=all", "-l", "-"], {
      stdin: new Blob([page]),
      stdout: "pipe",
      stderr: "pipe",
      env: { ...process.env, MANPAGER: "cat", MANWIDTH: "200" },
    });
    const [shown, faults] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    expect(faults).toBe("");
    expect(shown).toContain("argosy install");
  });
});

test("install hands over completion for each shell and the folder as it was typed", async () => {
  const asked: unknown[] = [];
  const { code, stdout } = await say(["install", "--to", "bin", "--json"], {
    folder: "/here",
    parts: {
      async installProgram({ texts, ...request }) {
        asked.push(request, texts.bash.includes("complete "), texts.zsh.startsWith("#compdef argosy"));
        return {
          program: "/here/bin/argosy",
          files: [],
          was_in_place: false,
          on_path: true,
          shadowed_by: null,
          advice: [],
        };
      },
    },
  });
  expect([code, JSON.parse(stdout).program]).toEqual([0, "/here/bin/argosy"]);
  expect(asked).toEqual([expect.objectContaining({ to: "bin", from: "/here", force: false }), true, true]);
});

test.each([[["install"]], [["uninstall"]], [["service", "install"]], [["service", "uninstall"]]])(
  "from source, %j changes nothing",
  async (args) => {
    const parts = {
      ...builtParts,
      loadConfig: async () => configWith({}),
      untrustedPrograms: async () => [],
    };
    const { code, stderr } = await say(args, { parts });
    expect([code, stderr]).toEqual([1, expect.stringContaining("`scripts/build`")]);
  },
);

test("a service that does not run is a failure of status", async () => {
  const state = {
    installed: true,
    running: false,
    enabled: true,
    state: "failed",
    pid: null,
    file: "f",
    log: "l",
  };
  const parts = { serviceStatus: async () => state };
  const { code, stdout } = await say(["service", "status", "--json"], { parts });
  expect([code, JSON.parse(stdout)]).toEqual([1, state]);
});

test("no command has a description that ends in a full stop, which the pages add", () => {
  forEachCommand(
    createProgram(async () => {}),
    (command) => {
      if (command.parent !== null) expect(command.description()).not.toEndWith(".");
    },
  );
});
