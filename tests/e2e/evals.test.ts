import { describe, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startModelServer } from "../support/model-server.ts";
import { program } from "../support/program.ts";
import { readToEnd } from "../support/read-to-end.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const root = join(import.meta.dir, "../..");

function start(folder: string, args: readonly string[]) {
  return Bun.spawn([...program, ...args], {
    cwd: folder,
    env: { PATH: "/usr/bin:/bin", HOME: folder, PLATFORM_AUTO_CONFIG: "false", KEY: "k" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
}

async function argosy(folder: string, ...args: string[]) {
  const child = start(folder, args);
  const { stdout, stderr, code } = await readToEnd(child);
  return { stdout, stderr, code, json: () => JSON.parse(stdout) };
}

const write = (folder: string, name: string, text: string) => {
  mkdirSync(join(folder, name, ".."), { recursive: true });
  writeFileSync(join(folder, name), text);
};

/** A workspace with the project's sample agents and their evals. */
function samples(folder: string): void {
  for (const name of ["agents", "evals"]) cpSync(join(root, name), join(folder, name), { recursive: true });
}

describe("the sample agents", () => {
  test("pass their evals on the rehearsal, by recordings, and in a report", async () => {
    using folder = temporaryFolder();
    samples(folder.path);
    const live = await argosy(
      folder.path,
      "eval",
      "--json",
      "--repeat",
      "2",
      "--html",
      "report.html",
      "--junit",
      "report.xml",
    );
    expect(live).toMatchObject({ code: 0, stderr: expect.any(String) });
    const { runs } = live.json();
    expect(runs.map(({ run }: { run: { eval: string } }) => run.eval)).toEqual(["private", "timekeeper"]);
    for (const { summary } of runs)
      expect(summary).toMatchObject({ failed_runs: 0, ending: "complete", spent_usd: 0 });
    expect(readFileSync(join(folder.path, "report.html"), "utf8")).toContain('"case":"follow-up"');
    expect(readFileSync(join(folder.path, "report.xml"), "utf8")).toContain('failures="0"');

    expect(await argosy(folder.path, "eval", "--record")).toMatchObject({ code: 0 });
    const replayed = await argosy(folder.path, "eval", "--replay", "--compare", "last", "--json");
    expect(replayed.code).toBe(0);
    for (const { counts } of replayed.json().comparisons)
      expect(counts).toMatchObject({ regressed: 0, added: 0, removed: 0 });
  });

  test("fail a replay that their recordings no longer answer, with what to do", async () => {
    using folder = temporaryFolder();
    samples(folder.path);
    const file = "evals/timekeeper.eval.yaml";
    expect(await argosy(folder.path, "eval", file, "--record")).toMatchObject({ code: 0 });
    const agent = join(folder.path, "agents/timekeeper.agent.yaml");
    writeFileSync(agent, readFileSync(agent, "utf8").replace("never guess", "never lie"));
    const stale = await argosy(folder.path, "eval", file, "--replay");
    expect(stale.code).toBe(1);
    expect(stale.stdout).toContain("recording_stale: The agent asked something that was not recorded.");
    expect(stale.stdout).toContain("Record the case again with --record.");
    const never = await argosy(folder.path, "eval", "evals/private.eval.yaml", "--replay");
    expect([never.code, never.stdout]).toEqual([
      1,
      expect.stringContaining("not_recorded: There is no recording"),
    ]);
  });
});

const evalOf = (cases: number, more = "") => `apiVersion: platform/v1
kind: Eval
metadata: {name: many}
spec:
  agent: clerk
  concurrency: 1
${more}  checks: [{contains: fine}]
  cases:
${Array.from({ length: cases }, (_, index) => `    - {id: c${index + 1}, query: "question ${index + 1}"}`).join("\n")}
`;

const agent = `apiVersion: platform/v1
kind: Agent
metadata: {name: clerk}
spec:
  model: {primary: {provider: lab, model: test-model}}
`;

/** A workspace whose agent asks this model server. */
function clerk(folder: string, url: string, prices = ""): void {
  write(
    folder,
    "providers.yaml",
    `providers:\n  lab: {type: openai, endpoint: "${url}", api_key_env: KEY${prices}}\n`,
  );
  write(folder, "agents/clerk.agent.yaml", agent);
}

const queriesOf = (requests: readonly { body: { messages: { content: unknown }[] } }[]) =>
  requests.map(({ body }) => String(body.messages.at(-1)?.content));

test("a killed eval resumes without repeating a finished case", async () => {
  using folder = temporaryFolder();
  const reached = Promise.withResolvers<void>();
  let isHanging = true;
  const never = new Promise(() => {});
  const server = await startModelServer((_, number) => {
    if (!isHanging || number < 4) return { text: "fine" };
    reached.resolve();
    return { text: "fine", after: never };
  });
  try {
    clerk(folder.path, server.url);
    write(folder.path, "evals/many.eval.yaml", evalOf(8));
    const killed = start(folder.path, ["eval"]);
    await reached.promise;
    killed.kill("SIGKILL");
    await killed.exited;
    const before = queriesOf(server.requests);
    isHanging = false;
    const resumed = await argosy(folder.path, "eval", "--resume", "--json");
    expect(resumed.code).toBe(0);
    const [{ results, summary, run }] = resumed.json().runs;
    expect(summary).toMatchObject({ finished_runs: 8, ending: "complete" });
    expect(results.map((one: { case: string }) => one.case)).toEqual([
      "c1",
      "c2",
      "c3",
      "c4",
      "c5",
      "c6",
      "c7",
      "c8",
    ]);
    // Only the case under way is asked again.
    const after = queriesOf(server.requests).slice(before.length);
    expect(after.length).toBe(8 - (before.length - 1));
    expect(before.filter((query) => after.includes(query))).toEqual(before.slice(-1));
    const listed = (await argosy(folder.path, "eval", "runs", "--json")).json().runs;
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([run.id]);

    writeFileSync(join(folder.path, "agents/clerk.agent.yaml"), `${agent}  prompts: {system: Be kind.}\n`);
    const changed = await argosy(folder.path, "eval", "--resume", "--json");
    expect([changed.code, changed.json().error]).toEqual([1, "eval_changed"]);
  } finally {
    await server.stop();
  }
});

test("a budget holds, and an unknown price ends a run that has one", async () => {
  using folder = temporaryFolder();
  const server = await startModelServer([{ text: "fine", usage: { input: 1000, output: 1000 } }]);
  try {
    write(folder.path, "evals/many.eval.yaml", evalOf(10));
    clerk(folder.path, server.url, ", prices: {test-model: {in: 100000, out: 100000}}");
    // A case costs 0.20 dollars.
    const stopped = await argosy(folder.path, "eval", "--budget", "0.5", "--json");
    expect(stopped.code).toBe(1);
    expect(stopped.json().runs[0].summary).toMatchObject({
      ending: "budget",
      finished_runs: 3,
      spent_usd: expect.closeTo(0.6),
    });
    const words = await argosy(folder.path, "eval", "--resume", "--budget", "0.5");
    expect(words.stdout).toContain("not complete: 3 of 10 runs; the budget is used up.");
    clerk(folder.path, server.url);
    const unpriced = await argosy(folder.path, "eval", "--budget", "0.5", "--json");
    expect(unpriced.json().runs[0].summary).toMatchObject({ ending: "unpriced", finished_runs: 1 });
  } finally {
    await server.stop();
  }
});

test("a judge of its own model, priced, and a comparison that finds the regression", async () => {
  using folder = temporaryFolder();
  let score = 0.9;
  const server = await startModelServer((request) => {
    const isJudge = request.body.model === "judge";
    return isJudge
      ? { text: JSON.stringify({ reason: "polite enough", score }), usage: { input: 1000, output: 0 } }
      : { text: score > 0.5 ? "fine\nthanks" : "fine\nwhatever", usage: { input: 1000, output: 0 } };
  });
  try {
    clerk(folder.path, server.url, ", prices: {test-model: {in: 1000, out: 0}, judge: {in: 2000, out: 0}}");
    const judged = "  judge: {model: lab/judge, votes: 3}\n";
    const file = evalOf(2, judged).replace(
      "[{contains: fine}]",
      "[{contains: fine}, {judge: {rubric: Is it polite?}}]",
    );
    write(folder.path, "evals/many.eval.yaml", file);
    const good = await argosy(folder.path, "eval", "--json");
    expect(good.code).toBe(0);
    expect(good.json().runs[0].summary.spent_usd).toBeCloseTo(2 * (0.001 + 3 * 0.002), 6);
    score = 0.1;
    const worse = await argosy(folder.path, "eval", "--compare", "last");
    expect(worse.code).toBe(1);
    expect(worse.stdout).toContain("2 regressed");
    expect(worse.stdout).toContain(
      "judge: score 0.10, at least 0.7 expected (0 of 3 votes pass): polite enough",
    );
    expect(worse.stdout).toMatch(/- thanks\n\s+\+ whatever/);
    const listed = (await argosy(folder.path, "eval", "runs", "--json")).json().runs;
    const compared = await argosy(folder.path, "eval", "compare", listed[1].id, "last", "--json");
    expect([compared.code, compared.json().counts.regressed]).toEqual([1, 2]);
  } finally {
    await server.stop();
  }
});

test("models and prompts make a matrix", async () => {
  using folder = temporaryFolder();
  const server = await startModelServer(({ body }) => ({
    text: `${body.model} ${String(body.messages[0]?.content).includes("Be kind") ? "kindly" : ""} fine`,
  }));
  try {
    clerk(folder.path, server.url);
    write(folder.path, "evals/many.eval.yaml", evalOf(1));
    write(folder.path, "kind.md", "Be kind.");
    const said = await argosy(
      folder.path,
      "eval",
      "--model",
      "lab/a,lab/b",
      "--variant",
      "kind.md",
      "--json",
    );
    const [{ results }] = said.json().runs;
    const answers = results.map((one: { target: string; turns: { response: string }[] }) => [
      one.target,
      one.turns[0]?.response,
    ]);
    expect(answers).toEqual([
      ["lab/a", "a  fine"],
      ["lab/a + kind", "a kindly fine"],
      ["lab/b", "b  fine"],
      ["lab/b + kind", "b kindly fine"],
    ]);
    const unknown = await argosy(folder.path, "eval", "--model", "nowhere/x", "--json");
    expect([unknown.code, unknown.json().error]).toEqual([2, "invalid_override"]);
  } finally {
    await server.stop();
  }
});

test("from a bad answer in a trace to a test: question, answer and tool results", async () => {
  using folder = temporaryFolder();
  expect(await argosy(folder.path, "init")).toMatchObject({ code: 0 });
  const runtime = join(folder.path, "runtime.yaml");
  const bare = (await argosy(folder.path, "run", "assistant", "What time is it in Lima?", "--json")).json();
  const refused = await argosy(
    folder.path,
    "eval",
    "add",
    "--from-trace",
    bare.trace_id,
    "--to",
    "evals/bad.eval.yaml",
    "--json",
  );
  expect([refused.code, refused.json().error]).toEqual([1, "trace_without_content"]);
  expect(existsSync(join(folder.path, "evals/bad.eval.yaml"))).toBe(false);

  writeFileSync(runtime, "spec: {observability: {record: true}}\n");
  const run = (await argosy(folder.path, "run", "assistant", "What time is it in Lima?", "--json")).json();
  for (const [to, created] of [
    ["evals/bad.eval.yaml", true],
    ["evals/assistant.eval.yaml", false],
  ] as const) {
    const added = await argosy(
      folder.path,
      "eval",
      "add",
      "--from-trace",
      run.trace_id,
      "--to",
      to,
      "--id",
      "lima",
      "--check",
      "tool_called: {tool: datetime_now}",
      "--json",
    );
    expect(added).toMatchObject({ code: 0 });
    expect(added.json()).toEqual({
      file: to,
      case: "lima",
      agent: "assistant",
      created,
      stubs: 1,
      has_expected: true,
    });
    const passed = await argosy(folder.path, "eval", to, "--json");
    expect(passed.code).toBe(0);
    const made = passed.json().runs[0].results.find((one: { case: string }) => one.case === "lima");
    expect(made).toMatchObject({
      expected: run.response,
      turns: [{ response: run.response, calls: [{ output: run.tool_calls[0].output }] }],
    });
  }
  expect(readFileSync(join(folder.path, "evals/assistant.eval.yaml"), "utf8")).toStartWith(
    "# Cases of agents/assistant.agent.yaml",
  );
});

test("refuses what it can't do before anything runs", async () => {
  using folder = temporaryFolder();
  const none = await argosy(folder.path, "eval", "--json");
  expect([none.code, none.json().message]).toEqual([2, expect.stringContaining("There is no eval in")]);
  samples(folder.path);
  const refusals: [args: string[], error: string, code: number][] = [
    [["--record", "--repeat", "2"], "usage", 2],
    [["--record", "--replay"], "usage", 2],
    [["--agent", "nobody"], "agent_not_found", 1],
    [["--tag", "nothing"], "usage", 2],
    [["--html", "missing/report.html"], "usage", 2],
    [["--budget", "much"], "usage", 2],
    [["--compare", "last"], "eval_run_not_found", 1],
    [["--resume"], "eval_run_not_found", 1],
    [["evals/none.eval.yaml"], "usage", 2],
    [["evals/docs.rag-eval.yaml"], "invalid_manifest", 2],
  ];
  for (const [args, error, code] of refusals) {
    const said = await argosy(folder.path, "eval", ...args, "--json");
    expect([args, said.code, said.json().error]).toEqual([args, code, error]);
  }
  expect((await argosy(folder.path, "eval", "runs", "--json")).json()).toEqual({ runs: [] });
});
