import { afterAll, beforeAll, expect, test } from "bun:test";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtParts } from "../../../src/command/parts.ts";
import { loadConfig } from "../../../src/compose/load-config.ts";
import { type RunningArgosy, startArgosy } from "../../../src/compose/start.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import { say } from "../recording-shell.ts";

// The commands run in a realistic order: as a person of a cloud elsewhere, by a key, and as the owner of this machine's cloud.
const here = temporaryFolder();
const there = temporaryFolder();
let elsewhere: RunningArgosy;
let url = "";
let variables: Record<string, string> = {};

const configOf = (workspace: string) => ({
  ...loadConfig({ workspace, port: "0", services: "daemon,cloud" }),
  access: { allowedHosts: [], insecureOpen: false },
  models: { autoConfigure: false, rehearse: false },
  variable: (name: string) => variables[name],
});
const parts = { ...builtParts, loadConfig: async () => configOf(here.path) };
const cloud = (...args: string[]) =>
  say(["cloud", ...args], { folder: here.path, parts, stdin: "sk-canary-0123456789\n" });
const json = async (...args: string[]) => JSON.parse((await cloud(...args, "--json")).stdout);

beforeAll(async () => {
  elsewhere = await startArgosy(configOf(there.path), { log: silentLogger });
  url = elsewhere.services.find(({ name }) => name === "cloud")?.url ?? "";
  const config = {
    name: "helper",
    display_name: "Helper",
    step1: { model: "rehearsal/rehearsal" },
    step2: { system_prompt: "You help." },
  };
  writeFileSync(join(here.path, "helper.json"), JSON.stringify(config));
  writeFileSync(join(here.path, "bad.json"), JSON.stringify({ ...config, step4: { window_size: 0 } }));
});

afterAll(async () => {
  await elsewhere.stop();
  here[Symbol.dispose]();
  there[Symbol.dispose]();
});

test("a person does everything over the network", async () => {
  variables = { ARGOSY_CLOUD_URL: url };
  for (const named of [[], ["--org", "ada"]]) {
    expect(await cloud("agents", ...named)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("argosy cloud login"),
    });
  }
  expect((await cloud("login")).code).toBe(2);
  expect(await cloud("login", "ada@example.com", "--name", "Ada")).toMatchObject({
    code: 0,
    stderr: "Signed in to the org ada.\n",
  });
  expect(statSync(join(here.path, ".argosy/cloud-session.json")).mode & 0o777).toBe(0o600);
  expect((await json("orgs")).orgs).toMatchObject([{ slug: "ada", plan: "free" }]);
  expect((await json("rename", "Ada Ltd")).display_name).toBe("Ada Ltd");
  expect((await cloud("apply", "helper.json")).stderr).toBe("Created helper (draft).\n");
  const bad = await json("apply", "bad.json");
  expect(bad).toMatchObject({ error: "invalid_config", problems: [{ path: "step4.window_size" }] });
  expect(await json("run", "helper", "Hello?")).toMatchObject({ error: "agent_not_deployed" });
  expect(await json("deploy", "helper")).toMatchObject({ status: "deployed", agent_id: "ada__helper" });
  expect((await json("run", "helper", "Hello?", "--session", "s")).answer).toContain("Hello?");
  expect((await cloud("test", "helper", "Hello?")).stdout).toContain("Hello?");
  const streamed = await cloud("stream", "helper", "Hello?");
  expect(streamed).toMatchObject({ code: 0, stdout: expect.stringContaining("Hello?") });
  const frames = (await cloud("stream", "helper", "Hello?", "--json")).stdout.trim().split("\n");
  expect(frames.map((line) => JSON.parse(line).type).at(-1)).toBe("done");
  expect((await json("usage")).total_requests).toBe(3);
  expect((await cloud("usage", "--days", "91")).code).toBe(2);
  const saved = await cloud("providers", "save", "openai");
  expect([saved.code, saved.stdout.includes("canary")]).toEqual([0, false]);
  expect((await json("providers")).providers).toMatchObject([{ provider: "openai", masked_key: "••••6789" }]);
  expect((await cloud("providers", "delete", "openai")).code).toBe(2);
  expect((await cloud("providers", "delete", "openai", "--yes")).code).toBe(0);
  expect((await json("catalog")).tools.length).toBeGreaterThan(0);
  expect((await json("invite", "bob@example.com")).role).toBe("member");
  const { members } = await json("members");
  expect(members).toHaveLength(2);
  expect((await json("role", members[1].id, "admin")).role).toBe("admin");
  expect((await cloud("role", members[1].id, "king")).code).toBe(2);
  expect((await cloud("keys", "create", "mine")).code).toBe(0);
  expect((await cloud("remove", members[0].id)).stderr).toContain("It would revoke the API keys mine.");
  expect((await cloud("remove", members[0].id, "--keep-keys")).stderr).toContain(
    "It would keep the API keys mine.",
  );
  const asked = await cloud("leave");
  expect([asked.code, asked.stderr]).toEqual([
    2,
    expect.stringContaining("It would revoke the API keys mine."),
  ]);
  expect((await cloud("keys", "revoke", (await json("keys")).keys[0].id)).code).toBe(0);
  expect((await cloud("remove", members[1].id)).code).toBe(2);
  expect((await cloud("remove", members[1].id, "--yes")).code).toBe(0);
  expect(await json("leave", "--yes")).toMatchObject({ error: "last_owner" });
  expect((await cloud("create-org", "Acme Ltd")).stdout).toBe("acme-ltd\n");
  expect((await cloud("delete-org", "--org", "acme-ltd")).code).toBe(2);
  expect((await cloud("delete-org", "--org", "acme-ltd", "--yes")).stderr).toBe("Deleted acme-ltd.\n");
  expect((await cloud("decline", "none")).code).toBe(1);
  expect((await json("invitations")).invitations).toEqual([]);
  expect((await cloud("accept", "none")).code).toBe(1);
  expect((await json("audit")).entries[0].action).toBe("member.remove");
  expect((await cloud("manifest", "helper")).stdout).toContain("kind: Agent");
  expect(await json("show", "helper")).toMatchObject({ status: "deployed" });
  expect((await cloud("plan", "ada", "team")).code).toBe(2);
});

test("a key does what a member may, without a session", async () => {
  const created = await cloud("keys", "create", "ci");
  expect(created.stdout).toMatch(/^ask-\S+\n$/);
  const { keys } = await json("keys");
  expect(keys).toMatchObject([{ created_by: "ada@example.com", expires_at: null }]);
  expect((await cloud("keys", "create", "brief", "--expires", "yesterday")).code).toBe(2);
  variables = { ARGOSY_CLOUD_URL: url, ARGOSY_CLOUD_KEY: created.stdout.trim(), ARGOSY_CLOUD_ORG: "ada" };
  expect((await json("agents")).agents).toMatchObject([{ name: "helper" }]);
  expect(await json("keys", "create", "more")).toMatchObject({ error: "jwt_required" });
  variables = { ARGOSY_CLOUD_URL: url };
  expect((await cloud("keys", "revoke", keys[0].id)).code).toBe(0);
  expect((await cloud("pause", "helper")).code).toBe(0);
  expect((await cloud("delete", "helper")).code).toBe(2);
  expect((await cloud("delete", "helper", "--yes")).code).toBe(0);
  expect((await cloud("logout")).stderr).toBe("Signed out.\n");
  expect((await cloud("agents", "--org", "ada")).code).toBe(1);
});

test("the machine's owner acts for every org of the data folder, and changes plans", async () => {
  variables = {};
  expect((await cloud("login", "eve@example.com")).code).toBe(0);
  expect((await cloud("apply", "helper.json")).code).toBe(0);
  expect((await cloud("deploy", "helper")).code).toBe(0);
  expect((await cloud("run", "helper", "Hello?")).stdout).toContain("Hello?");
  expect(await json("plan", "eve", "team")).toMatchObject({ plan: "team", limits: { max_agents: 50 } });
  expect((await json("plan", "eve", "huge")).message).toContain("there are free, team, business");
  expect((await json("agents", "--org", "nobody")).error).toBe("not_found");
});
