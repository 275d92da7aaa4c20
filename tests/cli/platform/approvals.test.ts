import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtParts } from "../../../src/command/parts.ts";
import { loadConfig } from "../../../src/compose/load-config.ts";
import { type RunningArgosy, startArgosy } from "../../../src/compose/start.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import { say } from "../recording-shell.ts";

const clerk = `
apiVersion: platform/v1
kind: Agent
metadata: {name: clerk}
spec:
  model: {primary: {provider: rehearsal, model: rehearsal}}
  prompts: {system: You tell the time.}
  tools:
    - {name: datetime_now, type: builtin, requires_approval: true}
`;

const question = "What time is it in Tokyo?";
const answered = /It is .*Tokyo|Asia\/Tokyo/;

// One over a data folder without a server, which each command opens itself; one over the network with a key.
const here = temporaryFolder();
const there = temporaryFolder();
let elsewhere: RunningArgosy;
let url: string;
let variables: Record<string, string> = {};

const configOf = (workspace: string) => ({
  ...loadConfig({ workspace, port: "0" }),
  access: { allowedHosts: [], insecureOpen: false },
  models: { autoConfigure: false, rehearse: false },
  variable: (name: string) => variables[name],
});

const parts = { ...builtParts, loadConfig: async () => configOf(here.path) };
const platform = (...args: string[]) =>
  say(["platform", ...args], { folder: here.path, parts, stdin: "correct horse\n" });
const json = async (...args: string[]) => JSON.parse((await platform(...args, "--json")).stdout);

/** Creates a tenant whose clerk needs an approval before it looks at the clock. */
async function openShop(email: string): Promise<void> {
  expect((await platform("register", email)).code).toBe(0);
  expect((await platform("tenants", "create", email)).code).toBe(0);
  writeFileSync(join(here.path, "clerk.yaml"), clerk);
  expect((await platform("agents", "apply", "clerk.yaml")).code).toBe(0);
}

/** Returns the id of the call that a run of the clerk waits for. */
async function pausedCall(): Promise<string> {
  const said = await platform("run", "clerk", question);
  expect(said).toMatchObject({ code: 1, stdout: "" });
  return /approvals approve (\S+)/.exec(said.stderr)?.[1] ?? "";
}

beforeAll(async () => {
  elsewhere = await startArgosy(configOf(there.path), { log: silentLogger });
  url = elsewhere.services.find(({ name }) => name === "platform")?.url ?? "";
});

afterAll(async () => {
  await elsewhere.stop();
  here[Symbol.dispose]();
  there[Symbol.dispose]();
});

const places: [place: string, enter: () => Promise<void>][] = [
  [
    "in the data folder",
    async () => {
      variables = {};
      await openShop("ada@example.com");
    },
  ],
  [
    "over the network, by a key",
    async () => {
      variables = { ARGOSY_PLATFORM_URL: url };
      await openShop("eve@example.com");
      const key = (await platform("keys", "create", "ci")).stdout.trim();
      variables = { ARGOSY_PLATFORM_URL: url, ARGOSY_PLATFORM_KEY: key };
    },
  ],
];

test.each(places)("a paused call is listed, approved and rejected %s", async (_, enter) => {
  await enter();
  expect((await platform("approvals")).stderr).toBe("No calls.\n");
  const first = await pausedCall();
  const second = await pausedCall();
  const table = (await platform("approvals", "list")).stdout.trim().split("\n").slice(1);
  expect(table.map((line) => line.split(/ {2,}/).slice(0, 4))).toEqual([
    [second, "clerk", "datetime_now", "pending"],
    [first, "clerk", "datetime_now", "pending"],
  ]);
  expect(table[0]).toContain("Tokyo");

  const approved = await platform("approvals", "approve", first, "--comment", "as agreed");
  expect(approved).toMatchObject({ code: 0, stdout: expect.stringMatching(answered) });
  const rejected = await json("approvals", "reject", second, "--comment", "not today");
  expect(rejected.status).toBe("ok");
  expect(rejected.answer).not.toMatch(answered);

  const { approvals } = await json("approvals", "list", "--status", "approved");
  expect(approvals).toMatchObject([{ id: first, comment: "as agreed" }]);
  expect((await json("approvals", "--limit", "1")).approvals).toMatchObject([
    { id: second, status: "rejected", comment: "not today" },
  ]);
  const { invocations } = await json("runs");
  expect(invocations.map(({ status }: { status: string }) => status)).toEqual(["ok", "ok"]);

  for (const again of [
    ["approve", first],
    ["reject", second],
  ]) {
    const late = await platform("approvals", ...again);
    expect(late).toMatchObject({ code: 1, stdout: "" });
    expect(late.stderr).toContain("The approval was already decided");
  }
  expect((await json("approvals", "approve", "nowhere")).error).toBe("approval_not_found");
});

test("with --json a paused run and its decision are one document each", async () => {
  variables = {};
  const paused = await platform("run", "clerk", question, "--json");
  expect(paused.code).toBe(1);
  const { status, approval_id } = JSON.parse(paused.stdout);
  expect(status).toBe("awaiting_approval");
  const answer = await json("approvals", "approve", approval_id);
  expect(answer).toMatchObject({ status: "ok", answer: expect.stringMatching(answered) });
});

test.each([
  [["approvals", "list", "--status", "open"], "Allowed choices are pending"],
  [["approvals", "list", "--limit", "0"], "1 to 200"],
  [["approvals", "approve"], "missing required argument"],
])("%j is refused in words", async (args, words) => {
  const said = await platform(...args);
  expect(said.code).toBe(2);
  expect(said.stderr).toContain(words);
});
