import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { silentLogger } from "../../../../src/kit/log.ts";
import { SkillFiles } from "../../../../src/services/daemon/skills/skill-files.ts";
import { agentFile, startDaemon } from "../../../support/daemon.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";
import { writeFiles } from "../../../support/write-files.ts";

const skillFile = (name: string, body = "Count twice.") =>
  `---\nname: ${name}\ndescription: How to ${name} things.\n---\n${body}\n`;

const files = {
  "skills/count/SKILL.md": skillFile("count"),
  "skills/count/references/units.md": "A dozen is twelve.",
  "skills/count/assets/deep/table.csv": "a,b",
  "skills/count/scripts/sum.ts":
    'export default { name: "sum", description: "Sums.", parameters: { type: "object", properties: { of: { type: "array", items: { type: "number" } } }, required: ["of"] }, execute: ({ of }: any) => ({ success: true, data: { sum: of.reduce((a: number, b: number) => a + b, 0) } }) };\n',
  "skills/count/.hidden": "no",
  "outside.txt": "a secret of the workspace",
};

/** Calls one tool, then answers with its result. */
const calling =
  (name: string, input: object) =>
  ({ body }: { body: { messages: { role: string; content: unknown }[] } }) => {
    const result = body.messages.findLast(({ role }) => role === "tool");
    if (result !== undefined) return { text: `It said ${String(result.content)}` };
    return { text: "", toolCalls: [{ id: "c", name, arguments: input }] };
  };

async function startWith(script: unknown, more: Record<string, string> = {}, skills: unknown[] = ["count"]) {
  const folder = temporaryFolder();
  writeFiles(folder.path, { ...files, ...more });
  const daemon = await startDaemon({
    workspace: folder.path,
    agents: { "helper.agent.yaml": agentFile("helper", { prompts: { system: "Be brief." }, skills }) },
    models: { lab: script as never },
  });
  return {
    daemon,
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

const run = (daemon: Awaited<ReturnType<typeof startDaemon>>) => daemon.run("helper", { query: "Count." });

test("the prompt has names and descriptions alone, and the trace names the skills", async () => {
  await using world = await startWith([{ text: "Ok." }]);
  const { daemon } = world;
  const { body } = await daemon.run("helper", { query: "Count." }, {});
  const [system] = daemon.models.lab.requests[0]?.body.messages ?? [];
  expect(system?.content).toContain("Be brief.\n\nSkills that you can use.");
  expect(system?.content).toContain("- count: How to count things.");
  expect(JSON.stringify(daemon.models.lab.requests[0]?.body)).not.toContain("Count twice");
  const trace = await daemon.call("GET", `/v1/traces/${body.trace_id}`);
  expect(JSON.stringify(trace.body)).toContain('"skills":["count"]');
});

test("read_skill gives the instructions with the paths of references and scripts", async () => {
  await using world = await startWith(calling("read_skill", { skill: "count" }));
  const { body } = await run(world.daemon);
  expect(body.response).toContain("Count twice.");
  expect(body.response).toContain("references/units.md");
  expect(body.response).toContain("scripts/sum.ts");
  expect(body.response).not.toContain(".hidden");
});

test("read_skill gives a reference by its path inside the skill", async () => {
  await using world = await startWith(calling("read_skill", { skill: "count", path: "references/units.md" }));
  expect((await run(world.daemon)).body.response).toContain("A dozen is twelve.");
});

test.each([
  "../../outside.txt",
  "references/../../../outside.txt",
  "/etc/passwd",
  "references",
  ".hidden",
  "SKILL.md/../../../outside.txt",
  "references/units.md\u0000",
  "%2e%2e/outside.txt",
  "constructor",
  "",
])("the path %j is not a reference", async (path) => {
  await using world = await startWith(calling("read_skill", { skill: "count", path }));
  const { body } = await run(world.daemon);
  expect(body.response).toMatch(/has no reference|were no JSON object/);
  expect(body.response).not.toContain("a secret of the workspace");
});

test("a link that leads outside makes the skill unusable, and one inside is followed", () => {
  using folder = temporaryFolder();
  writeFiles(folder.path, {
    ...files,
    "skills/plain/SKILL.md": skillFile("plain"),
    "skills/plain/a.md": "A",
  });
  symlinkSync(join(folder.path, "outside.txt"), join(folder.path, "skills/count/references/out.md"));
  symlinkSync("a.md", join(folder.path, "skills/plain/b.md"));
  symlinkSync(join(folder.path, "skills/count"), join(folder.path, "skills/linked"));
  const skills = new SkillFiles({ workspace: folder.path, log: silentLogger });
  skills.look();
  expect(skills.find("count")).toMatchObject({ fault: expect.stringContaining("outside of its folder") });
  expect(skills.find("plain")).toMatchObject({ references: ["a.md", "b.md"] });
  expect(skills.find("linked")).toMatchObject({ fault: expect.any(String) });
  expect(skills.find("constructor")).toBeUndefined();
});

test.each(["skills", "skills/count"])("skills are not read through %s as a link to outside", (link) => {
  using outside = temporaryFolder();
  using folder = temporaryFolder();
  writeFiles(outside.path, files);
  if (link !== "skills") writeFiles(folder.path, { "skills/plain/SKILL.md": skillFile("plain") });
  symlinkSync(join(outside.path, link), join(folder.path, link));
  const skills = new SkillFiles({ workspace: folder.path, log: silentLogger });
  skills.look();
  expect(skills.find("count")).toMatchObject({ fault: expect.stringContaining("outside of the workspace") });
});

test("a reference that becomes a link to the outside after the look is not read", async () => {
  using folder = temporaryFolder();
  writeFiles(folder.path, files);
  const skills = new SkillFiles({ workspace: folder.path, log: silentLogger });
  skills.look();
  const skill = skills.find("count");
  if (skill === undefined || "fault" in skill) throw new Error("no skill");
  const path = join(folder.path, "skills/count/references/units.md");
  await Bun.file(path).delete();
  symlinkSync(join(folder.path, "outside.txt"), path);
  await expect(skill.read("references/units.md")).rejects.toMatchObject({ code: "path_refused" });
});

test.each([
  [{ "skills/bad/SKILL.md": skillFile("other") }, "must be the name of its folder"],
  [{ "skills/bad/notes.md": "x" }, "is missing"],
  [{}, "is not a folder of skills/"],
])("an agent with a skill that can't be used is refused: %j", async (more, message) => {
  await using world = await startWith([{ text: "Ok." }], more, ["bad"]);
  const { body } = await world.daemon.call("GET", "/v1/agents/helper");
  expect(body.status).toBe("failed");
  expect(JSON.stringify(body.problems)).toContain(message);
});

test("a changed skill is used from the next look on", async () => {
  await using world = await startWith(calling("read_skill", { skill: "count" }));
  const { daemon } = world;
  writeFiles(daemon.workspace, { "skills/count/SKILL.md": skillFile("count", "Count three times now.") });
  // The control socket looks at the files before it answers.
  await daemon.asOwner("GET", "/v1/agents/helper");
  expect((await run(daemon)).body.response).toContain("Count three times now.");
});

test("a script waits for approval, and then runs in the process of own tools", async () => {
  const script = { skill: "count", script: "scripts/sum.ts", input: { of: [1, 2, 3] } };
  await using world = await startWith(calling("run_skill_script", script));
  const { daemon } = world;
  const paused = await run(daemon);
  expect(paused).toMatchObject({ status: 202, body: { tool: "run_skill_script" } });
  const approval = await daemon.call("GET", `/v1/approvals/${paused.body.approval_id}`);
  expect(approval.body.input).toEqual(script);
  const { body } = await daemon.call("POST", `/v1/approvals/${paused.body.approval_id}/approve`, {
    body: {},
  });
  expect(body.response).toContain('"sum":6');
}, 60_000);

test.each([
  [{ script: "scripts/none.ts" }, "has no script"],
  [{ script: "../../outside.txt" }, "has no script"],
  [{ script: "references/units.md" }, "has no script"],
])("the script %j doesn't run", async (wrong, message) => {
  await using world = await startWith(calling("run_skill_script", { skill: "count", input: {}, ...wrong }));
  const { daemon } = world;
  const paused = await run(daemon);
  const { body } = await daemon.call("POST", `/v1/approvals/${paused.body.approval_id}/approve`, {
    body: {},
  });
  expect(body.response).toContain(message);
});

const inline = {
  name: "greet",
  description: "How to greet.",
  instructions: "Say hello.",
  references: { "a/b.md": "Hello in French is bonjour." },
};

test("a skill in the manifest itself has its texts there", async () => {
  await using world = await startWith(calling("read_skill", { skill: "greet", path: "a/b.md" }), {}, [
    inline,
  ]);
  expect((await run(world.daemon)).body.response).toContain("bonjour");
});

test.each([
  [["count"], false],
  [[inline], true],
])("a manifest from someone else than the owner with the skills %j is valid: %p", async (skills, valid) => {
  await using world = await startWith([{ text: "Ok." }]);
  const sent = await world.daemon.call("POST", "/v1/agents/validate", {
    body: agentFile("sent", { skills }),
    headers: { "content-type": "application/yaml" },
  });
  expect(sent.body.valid).toBe(valid);
});

test.each([
  [[{ ...inline, name: "A" }], "spec.skills[0].name"],
  [[{ ...inline, references: { "../x": "y" } }], "spec.skills[0]"],
  [["count", "count"], "spec.skills[1]"],
  [[7], "spec.skills[0]"],
])("the skills %j are refused at %s", async (skills, path) => {
  await using world = await startWith([{ text: "Ok." }], {}, skills);
  expect(JSON.stringify((await world.daemon.call("GET", "/v1/agents/helper")).body)).toContain(path);
});

test("the list shows skills with their files, agents and faults", async () => {
  await using world = await startWith([{ text: "Ok." }], { "skills/bad/SKILL.md": "nothing" });
  const { body } = await world.daemon.call("GET", "/v1/skills");
  expect(body.skills).toMatchObject([
    { name: "bad", problems: [{ message: expect.stringContaining("front matter"), line: 1 }] },
    {
      name: "count",
      file: "skills/count/SKILL.md",
      agents: ["helper"],
      references: ["assets/deep/table.csv", "references/units.md"],
      scripts: ["scripts/sum.ts"],
    },
  ]);
});
