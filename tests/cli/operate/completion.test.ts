import { describe, expect, test } from "bun:test";
import { say } from "../recording-shell.ts";

const script = async (shell: string) => (await say(["completion", shell])).stdout;

describe("bash", () => {
  /** Returns bash's completions after these words; the last word is incomplete. */
  const offered = async (...words: string[]) => {
    const program = `argosy() { [ "$1 $2" = "completion --names" ] && echo "one-of-$3"; }
${await script("bash")}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _argosy; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const child = Bun.spawn(["bash", "-c", program, "bash", ...words], { stdout: "pipe", stderr: "pipe" });
    expect(await new Response(child.stderr).text()).toBe("");
    return (await new Response(child.stdout).text()).split("\n").filter((word) => word !== "");
  };

  test.each([
    [
      ["argosy", "se"],
      ["serve", "secrets", "service"],
    ],
    [["argosy", "serve", "--in"], ["--insecure-open"]],
    [["argosy", "--json", "schema", "pro"], ["providers"]],
    [["argosy", "secrets", "ro"], ["rotate"]],
    [["argosy", "platform", "te"], ["tenants"]],
    [["argosy", "platform", "keys", "re"], ["revoke"]],
    [["argosy", "platform", "keys", "create", "--te"], ["--tenant"]],
    // Options of another command are not offered, and an option's value does not count as a command.
    [["argosy", "platform", "tenants", "--te"], []],
    [["argosy", "--workspace", "serve", "sec"], ["secrets"]],
    [["argosy", "platform", "runs", "--tenant", "keys", "--li"], ["--limit"]],
    [["argosy", "--log-level", "de"], ["debug"]],
    [["argosy", "run", "one"], ["one-of-agents"]],
    [["argosy", "chat", "one"], ["one-of-agents"]],
    [["argosy", "rag", "sync", "one"], ["one-of-pipelines"]],
    [["argosy", "rag", "query", "--collection", "one"], ["one-of-collections"]],
    [["argosy", "platform", "keys", "create", "--tenant", "one"], ["one-of-tenants"]],
    [["argosy", "serve", "--services", "one"], ["one-of-services"]],
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
  ["zsh", "'serve:start Argosy'\\''s five services, or those chosen, and serve until stopped'"],
  ["fish", `complete -c argosy -n 'test (__argosy_path) = " serve"' -l port -d`],
  ["fish", `complete -c argosy -n 'test (__argosy_path) = " platform keys"' -a revoke -d`],
  ["zsh", `" platform keys") candidates=('list:`],
])("%s describes what it offers", async (shell, line) => {
  expect(await script(shell)).toContain(line);
});

test("the shell is one that is known", async () => {
  expect((await say(["completion", "tcsh"])).code).toBe(2);
});
