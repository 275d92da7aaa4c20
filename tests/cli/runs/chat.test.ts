import { describe, expect, test } from "bun:test";
import { PassThrough } from "node:stream";
import type { Parts } from "../../../src/command/parts.ts";
import type { DaemonClient } from "../../../src/contracts/daemon/client.ts";
import type { RunRequest } from "../../../src/contracts/daemon/runs/run.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import { daemonParts, doneFrame, notFound, say } from "../recording-shell.ts";

/** A daemon that answers with the question, in session s1. */
function echo(more: Partial<DaemonClient> = {}) {
  const requests: RunRequest[] = [];
  const client: Partial<DaemonClient> = {
    getAgent: async () => ({ name: "a" }) as Awaited<ReturnType<DaemonClient["getAgent"]>>,
    stream: async function* (_agent, request) {
      requests.push(request);
      if (request.query === "fail") throw notFound;
      yield { type: "token", content: `You said ${request.query}.` };
      yield doneFrame(`You said ${request.query}.`);
    },
    history: async (agent, session) => ({
      agent,
      session_id: session,
      messages: requests.map(({ query }) => ({ role: "user", content: query })),
    }),
    clearHistory: async (agent, session) => ({ status: "cleared", agent, session_id: session }),
    ...more,
  };
  return { requests, parts: daemonParts(client) };
}

describe("from a pipe", () => {
  test("each line is a query of one session", async () => {
    const { parts, requests } = echo();
    const said = await say(["chat", "a"], { parts, stdin: "one\n\n  two  \r\nthree" });
    expect(said).toEqual({ code: 0, stdout: "You said one.\nYou said two.\nYou said three.\n", stderr: "" });
    expect(requests.map((request) => request.session_id)).toEqual([undefined, "s1", "s1"]);
  });
  test("a failed run prints its error, and the next line is answered", async () => {
    const said = await say(["chat", "a"], { parts: echo().parts, stdin: "fail\ntwo\n" });
    expect(said).toEqual({
      code: 1,
      stdout: "You said two.\n",
      stderr: "error: There is no agent with this name.\nDid you mean support?\n",
    });
  });
  test("an unknown agent is reported before any line is read", async () => {
    const getAgent = async () => {
      throw notFound;
    };
    const said = await say(["chat", "a"], { parts: echo({ getAgent }).parts, stdin: "one\n" });
    expect(said).toMatchObject({ code: 1, stdout: "" });
  });
  test("with --json each answer is a line", async () => {
    const { parts } = echo({
      run: async (_agent, request) =>
        ({ session_id: "s1", response: request.query }) as Awaited<ReturnType<DaemonClient["run"]>>,
    });
    const said = await say(["chat", "a", "--json"], { parts, stdin: "one\ntwo\n/clear\n" });
    expect(
      said.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { session_id: "s1", response: "one" },
      { session_id: "s1", response: "two" },
      { status: "cleared" },
    ]);
  });
});

describe("commands", () => {
  const chat = (stdin: string) => say(["chat", "a"], { parts: echo().parts, stdin });
  test("/help lists them", async () => {
    const { stderr } = await chat("/help\n");
    for (const name of ["/help", "/history", "/clear", "/quit"]) expect(stderr).toContain(name);
  });
  test("/history shows the session", async () => {
    expect((await chat("hello\n/history\n")).stdout).toBe("You said hello.\nuser: hello\n");
    expect((await chat("/history\n")).stderr).toBe("The conversation is empty.\n");
  });
  test("/clear empties it", async () => {
    expect((await chat("hello\n/clear\n")).stderr).toBe("The conversation is now empty.\n");
  });
  test.each(["/quit", "/exit", "/bye"])("%s leaves", async (command) => {
    const said = await chat(`one\n${command}\ntwo\n`);
    expect([said.code, said.stdout, said.stderr]).toEqual([0, "You said one.\n", ""]);
  });
  test("an unknown one is not sent as a query", async () => {
    const said = await chat("/histroy\n");
    expect(said.stdout).toBe("");
    expect(said.stderr).toContain("Did you mean /history?");
  });
  test("two slashes begin a query with one", async () => {
    expect((await chat("//etc is a folder\n")).stdout).toBe("You said /etc is a folder.\n");
  });
});

describe("in a terminal", () => {
  const ctrlC = "\u0003";
  const ctrlD = "\u0004";

  /** Types each text once the screen shows the expected text. */
  async function talk(
    steps: [shown: string, typed: string][],
    more: Partial<DaemonClient> = {},
    parts: Partial<Parts> = {},
  ) {
    const stdin = new PassThrough();
    const left = [...steps];
    let seen = "";
    const said = say(["chat", "a", "--no-color"], {
      parts: { ...echo(more).parts, ...parts },
      stdin,
      terminal: true,
      shown(text) {
        seen += text;
        const [next] = left;
        if (next === undefined || !seen.includes(next[0])) return;
        left.shift();
        seen = "";
        queueMicrotask(() => stdin.write(next[1]));
      },
    });
    return { ...(await said), left };
  }

  /** An answer that never ends by itself. */
  const endless: Partial<DaemonClient> = {
    stream: async function* (_agent, _request, signal) {
      yield { type: "token", content: "thinking" };
      await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    },
  };

  test("prompts on stderr, answers on stdout, and says how to continue", async () => {
    const said = await talk([
      ["> ", "hello\r"],
      ["ms · session s1", "/quit\r"],
    ]);
    expect(said).toMatchObject({ code: 0, stdout: "You said hello.\n", left: [] });
    expect(said.stderr).toContain("argosy chat a --session s1");
  });
  const paste = (text: string) => `\u001b[200~${text}\u001b[201~`;
  test.each<[string, string, string]>([
    ["a paste of three lines is one query", `${paste("a\r\nb\rc\n")}\r`, "a\nb\nc"],
    ["a paste between typed words stays there", `see ${paste("a\nb")}!\r`, "see a\nb!"],
    ["a pasted line waits for Enter", `${paste("one\n")} two\r`, "one two"],
    ["pasted control characters do nothing", `${paste("a\u0003\tb")}\r`, "a b"],
    ["a pasted command of several lines is text", `${paste("/quit\nnow")}\r`, "/quit\nnow"],
    ["a backslash goes on in the next line", "a\\\rb\r", "a\nb"],
    ["Alt+Enter goes on in the next line", "a\u001b\rb\r", "a\nb"],
    ["the arrow brings the last query back", "", "hello"],
  ])("%s", async (_title, keys, query) => {
    const steps: [string, string][] =
      keys === ""
        ? [
            ["> ", "hello\r"],
            ["s1", "\u001b[A\r"],
          ]
        : [["> ", keys]];
    const said = await talk([...steps, ["ms · session s1", "/quit\r"]]);
    const asked = keys === "" ? [query, query] : [query];
    expect(said).toMatchObject({ stdout: asked.map((one) => `You said ${one}.\n`).join(""), left: [] });
  });
  test("marks of pastes are asked for, and no more at the end", async () => {
    const { stderr } = await talk([["> ", ctrlD]]);
    expect(stderr.indexOf("\u001b[?2004h")).toBeLessThan(stderr.lastIndexOf("\u001b[?2004l"));
    expect(stderr).toContain("\u001b[?2004h");
  });
  test("/edit sends what the editor saved", async () => {
    const given: string[] = [];
    const editText = async (text: string) => {
      given.push(text);
      return "one\ntwo\n";
    };
    const steps: [string, string][] = [
      ["> ", "/edit draft\r"],
      ["ms · session s1", "/quit\r"],
    ];
    expect(await talk(steps, {}, { editText })).toMatchObject({ stdout: "You said one\ntwo.\n", left: [] });
    expect(given).toEqual(["draft"]);
  });
  test("an editor that can't be started is reported, and the conversation continues", async () => {
    const editText = async () => {
      throw new AppError("unavailable", "editor_failed", "The editor nope can't be started.");
    };
    const steps: [string, string][] = [
      ["> ", "/edit\r"],
      ["nope can't be started", "/quit\r"],
    ];
    expect(await talk(steps, {}, { editText })).toMatchObject({ code: 0, stdout: "", left: [] });
  });
  test("Ctrl-D leaves", async () => {
    expect(await talk([["> ", ctrlD]])).toMatchObject({ code: 0, left: [] });
  });
  test("Ctrl-C cancels the answer, and the conversation continues", async () => {
    const said = await talk(
      [
        ["> ", "hello\r"],
        ["thinking", ctrlC],
        ["cancelled", "/quit\r"],
      ],
      endless,
    );
    expect(said).toMatchObject({ code: 0, left: [] });
  });
  test("two Ctrl-C leave", async () => {
    const said = await talk([
      ["> ", ctrlC],
      ["Press Ctrl-C again", ctrlC],
    ]);
    expect(said).toMatchObject({ code: 130, left: [] });
  });
});
