import { describe, expect, test } from "bun:test";
import { Screen } from "../../../src/cli/terminal/screen.ts";
import type { Parts } from "../../../src/command/parts.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import { endlessCommands, everyCall } from "../../support/every-call.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import { configWith, daemonParts, recordingShell, type Said, say } from "../recording-shell.ts";

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => String.fromCharCode(from + at));

/** Every character that a terminal must not receive from others. */
const harmful = [
  ...range(0x00, 0x08),
  ...range(0x0b, 0x1f),
  ...range(0x7f, 0x9f),
  "\u061c\u200e\u200f",
  ...range(0x2028, 0x202e),
  ...range(0x2066, 0x206f),
].join("");
/** One of each kind, for commands. */
const hostile =
  "evil\u001b]0;x\u0007\u0000\r\u007f\u0085\u009b2J\u061c\u200e\u200f\u2028\u202e\u2066\u2069end";
const isHarmful = (text: string) => [...harmful].some((character) => text.includes(character));
/** Our own colours, and the line that shows progress. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is left out.
const ownCodes = /\x1b\[\w+m|\r\x1b\[K/g;
const withoutOwn = (text: string) => text.replaceAll(ownCodes, "");

/** A value that is a hostile text, a list with one, a mapping with one as key and value, and a function that returns one. */
function anything(): unknown {
  const text: Record<PropertyKey, unknown> = String.prototype as never;
  const list: Record<PropertyKey, unknown> = Array.prototype as never;
  return new Proxy(() => undefined, {
    get(_, name) {
      if (name === "then" || /cursor|^next/i.test(String(name))) return undefined;
      if (name === "length" || name === "total") return 1;
      if (name === "toJSON") return () => ({ [hostile]: [hostile, { text: hostile }] });
      if (name === Symbol.toPrimitive || name === "toString") return () => hostile;
      const of =
        name in Array.prototype ? [list, [anything()]] : name in String.prototype ? [text, hostile] : [];
      const method = (of[0] as typeof list | undefined)?.[name];
      return typeof method === "function" ? method.bind(of[1]) : anything();
    },
    has: () => true,
    apply: () => anything(),
    ownKeys: () => [hostile],
    getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true, value: anything() }),
  });
}

/** Parts whose every answer is hostile; `fail` makes each of them an error that is. */
function hostileParts(fail?: AppError): Partial<Parts> {
  const answer = () => {
    const ended = fail === undefined ? Promise.resolve(anything()) : Promise.reject(fail);
    // Some commands expect a stream, and never look at a promise.
    ended.catch(() => undefined);
    return ended;
  };
  const client = new Proxy({}, { get: (_, name) => (name === "then" ? undefined : answer) });
  const reached = async () => ({ client, via: "server", close: async () => undefined, session: anything() });
  const own: Record<string, unknown> = { loadConfig: async () => configWith({}) };
  return new Proxy(own, {
    get: (target, name) => target[String(name)] ?? (String(name).startsWith("reach") ? reached : answer),
    ownKeys: () => [...partNames],
    getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true }),
  });
}

const partNames = Object.keys(recordingShell({}).shell.parts);
/** `mcp login` waits for a person in a browser. */
const calls = everyCall().filter(
  ([name = "", next]) => !endlessCommands.has(name) && !(name === "mcp" && next === "login"),
);
/** Documents that a pipe receives unchanged, without a further argument. */
const documents = new Set(["licenses"]);
const forms: [name: string, args: string[], terminal: boolean][] = [
  ["a terminal", [], true],
  ["a pipe", [], false],
  ["--json", ["--json"], false],
];

async function outputOf(args: string[], terminal: boolean, parts: Partial<Parts>): Promise<Said> {
  using folder = temporaryFolder();
  return await say(args, { parts, terminal, stdin: hostile, columns: 300, folder: folder.path });
}

describe.each(forms)("no text of others controls %s", (_name, form, terminal) => {
  test("in the output of any command", async () => {
    const shown: string[] = [];
    for (const args of calls) {
      const { stdout, stderr } = await outputOf([...args, ...form], terminal, hostileParts());
      const text = `${stdout}${stderr}`;
      if (documents.has(args.join(" ")) && !terminal && form.length === 0) continue;
      expect({ args, isHarmful: isHarmful(withoutOwn(text)) }).toEqual({ args, isHarmful: false });
      if (text.includes("evil")) shown.push(args.join(" "));
    }
    // Commands that need more than an answer stop with an error of their own.
    expect(shown.length).toBeGreaterThan(40);
  });

  test("in the error of any command", async () => {
    const problems = [1, 2].map(() => ({ path: hostile, message: hostile, line: 1 }));
    const fault = new AppError("invalid", "x", hostile, { details: { hint: hostile, problems } });
    for (const args of calls) {
      const { stdout, stderr } = await outputOf([...args, ...form], terminal, hostileParts(fault));
      expect({ args, isHarmful: isHarmful(withoutOwn(`${stdout}${stderr}`)) }).toEqual({
        args,
        isHarmful: false,
      });
    }
  });

  test("in the refusal of a call", async () => {
    for (const args of [
      [hostile],
      ["agents", hostile, hostile],
      ["run", `--${hostile}`],
      ["traces", "--limit", hostile],
    ]) {
      const { stdout, stderr, code } = await outputOf([...args, ...form], terminal, hostileParts());
      expect(code).not.toBe(0);
      expect(isHarmful(withoutOwn(`${stdout}${stderr}`))).toBe(false);
    }
  });
});

test("JSON output has the same value", async () => {
  const list = { agents: [{ name: hostile, description: hostile }], [hostile]: [hostile] };
  const parts = daemonParts({ listAgents: async () => list as never });
  const { stdout } = await say(["agents", "--json"], { parts });
  expect(JSON.parse(stdout)).toEqual(list);
  expect(isHarmful(stdout)).toBe(false);
});

test("a table shows escapes in place of invisible characters", async () => {
  const agents = [
    { name: "a\u202eb\u009b2J", status: "ready", description: "", model: "m", pattern: "react" },
  ];
  const parts = daemonParts({ listAgents: async () => ({ agents }) as never });
  for (const terminal of [true, false])
    expect((await say(["agents", "--no-color"], { parts, terminal })).stdout).toContain("a\\u202eb\\u009b2J");
});

test("an answer reaches a pipe unchanged, and a terminal without control characters", () => {
  const escaped = [...harmful.replace("\r", "")].map(
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  for (const [terminal, expected] of [
    [false, harmful],
    [true, escaped.join("")],
  ] as const) {
    const { shell, read } = recordingShell({ terminal });
    new Screen(shell, { json: false, colours: true }).write(harmful);
    expect(read().stdout).toBe(expected);
  }
});
