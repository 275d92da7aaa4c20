import { describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { isSilent, partOfCalls } from "../../support/every-call.ts";
import { program } from "../../support/program.ts";
import { readToEnd } from "../../support/read-to-end.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const runDry = join(import.meta.dir, "run-dry.ts");
const everyCommand = join(import.meta.dir, "every-command.ts");

/** Runs a bash script in which `$BUN` runs TypeScript and `"$@"` is this program. */
async function inShell(script: string, folder?: string) {
  const child = Bun.spawn(["bash", "-c", script, "silence", ...program], {
    ...(folder === undefined ? {} : { cwd: folder }),
    env: { ...process.env, BUN: process.execPath, DRY: runDry, EVERY: everyCommand },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  return readToEnd(child);
}

describe("a command ends only by leaving", () => {
  test("a command whose event loop runs empty ends with 70 and an error on stderr", async () => {
    const said = await inShell('"$BUN" "$DRY" wait-for-nothing | cat; exit "$PIPESTATUS"');
    expect(said).toMatchObject({ code: 70, stdout: "begun\n" });
    expect(said.stderr).toStartWith(
      "error: The command ended before it finished: the event loop ran empty.\n",
    );
  });

  test("with --json, the error of an empty event loop is a document on stdout", async () => {
    const { code, stdout } = await inShell('"$BUN" "$DRY" wait-for-nothing --json');
    expect(code).toBe(70);
    expect(JSON.parse(stdout.replace("begun\n", ""))).toMatchObject({ error: "ended_early" });
  });

  test("a command that throws ends with 70 and an error without the thrown text", async () => {
    const said = await inShell('"$BUN" "$DRY" throw');
    expect(said).toMatchObject({ code: 70, stdout: "begun\n" });
    expect(said.stderr).toStartWith("error: Something went wrong on our side.\n");
    expect(said.stderr).not.toContain("anybody");
  });

  test("work that doesn't keep a process alive is waited for", async () => {
    expect(await inShell('"$BUN" "$DRY" digest | cat; exit "$PIPESTATUS"')).toEqual({
      code: 0,
      stdout: "begun\ndone\n",
      stderr: "",
    });
  });

  test.each([
    ["a reader that begins late gets all of it", '| (read -r first; "$BUN" -e 0; wc -c)', "8000005\n0\n"],
    ["a reader that leaves early is no fault", "| head -c 6", "begun\n0\n"],
    ["a closed output is no fault", ">&-", "0\n"],
  ])("%s", async (_name, reader, stdout) => {
    const said = await inShell(`"$BUN" "$DRY" write-a-lot ${reader}; echo "$PIPESTATUS"`);
    expect(said).toEqual({ code: 0, stdout, stderr: "" });
  });
});

// In parts, because a busy machine takes minutes for all.
const parts = 4;
test.each(Array.from({ length: parts }, (_, part) => part))(
  "every command of part %i answers in each of several rounds",
  async (part) => {
    using folder = temporaryFolder();
    expect((await inShell('"$@" init', folder.path)).code).toBe(0);
    // Each of the commands would start a process for the sample's own tool: two thirds of the CPU time, and no part of this.
    rmSync(join(folder.path, "tools"), { recursive: true });
    const rounds = 2;
    const every = `"$BUN" "$EVERY" ${rounds} ${part} ${parts}`;
    const said = await inShell(`${every} | cat; exit "$PIPESTATUS"`, folder.path);
    expect({ code: said.code, dry: said.stderr.match(/The loop ran dry.*/)?.[0] }).toEqual({
      code: 0,
      dry: undefined,
    });
    const answers: { args: string[]; stdout: string; stderr: string }[] = said.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const calls = partOfCalls(part, parts);
    expect(calls.length).toBeGreaterThan(15);
    expect(answers.map(({ args }) => args)).toEqual(Array(rounds).fill(calls).flat());
    // A conversation without a question has nothing to say.
    const silent = answers.filter((answer) => isSilent(answer.args, answer));
    expect(silent.map(({ args }) => args.join(" "))).toEqual([]);
  },
);

test("doctor prints its checks into a pipe, every time", async () => {
  using folder = temporaryFolder();
  const script = `for i in 1 2 3; do "$@" doctor 2>&1 | grep -c "healthy, "; done`;
  expect((await inShell(script, folder.path)).stdout).toBe("1\n".repeat(3));
});
