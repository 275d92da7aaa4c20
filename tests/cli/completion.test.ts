import { describe, expect, test } from "bun:test";
import { say } from "./recording-shell.ts";

const script = async (shell: string) => (await say(["completion", shell])).stdout;

describe("bash", () => {
  /** What bash offers behind these words; the last one is being typed. */
  const offered = async (...words: string[]) => {
    const program = `${await script("bash")}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _argosy; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const child = Bun.spawn(["bash", "-c", program, "bash", ...words], { stdout: "pipe", stderr: "pipe" });
    expect(await new Response(child.stderr).text()).toBe("");
    return (await new Response(child.stdout).text()).split("\n").filter((word) => word !== "");
  };

  test.each([
    [
      ["argosy", "se"],
      ["serve", "secrets"],
    ],
    [["argosy", "serve", "--in"], ["--insecure-open"]],
    [["argosy", "--json", "schema", "pro"], ["providers"]],
    [["argosy", "secrets", "ro"], ["rotate"]],
    [["argosy", "completion", ""], expect.arrayContaining(["bash", "zsh", "fish", "--json"])],
    [
      ["argosy", "run", "--s"],
      ["--session", "--stream"],
    ],
  ])("%j", async (words, candidates) => {
    expect(await offered(...words)).toEqual(candidates);
  });
});

test.each([
  ["zsh", "'serve:start Argosy'\\''s services and serve until stopped'"],
  ["fish", "complete -c argosy -n '__fish_seen_subcommand_from serve' -l port -d"],
])("%s describes what it offers", async (shell, line) => {
  expect(await script(shell)).toContain(line);
});

test("the shell is one that is known", async () => {
  expect((await say(["completion", "tcsh"])).code).toBe(2);
});
