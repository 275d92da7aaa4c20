import { afterAll, beforeAll, expect, test } from "bun:test";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtParts } from "../../../src/command/parts.ts";
import { loadConfig } from "../../../src/compose/load-config.ts";
import { type RunningArgosy, startArgosy } from "../../../src/compose/start.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import { say } from "../recording-shell.ts";

const manifest = (system: string) => `
apiVersion: platform/v1
kind: Agent
metadata: {name: helper}
spec:
  model: {primary: {provider: rehearsal, model: rehearsal}}
  prompts: {system: "${system}"}
`;

// The commands run in a realistic order, over one data folder without a server, and a platform elsewhere.
const here = temporaryFolder();
const there = temporaryFolder();
let elsewhere: RunningArgosy;
let url: string;

/** Variables of this test's command lines, without this machine's. */
let variables: Record<string, string> = {};

beforeAll(async () => {
  elsewhere = await startArgosy(configOf(there.path), { log: silentLogger });
  url = elsewhere.services.find(({ name }) => name === "platform")?.url ?? "";
});

afterAll(async () => {
  await elsewhere.stop();
  here[Symbol.dispose]();
  there[Symbol.dispose]();
});

const configOf = (workspace: string) => ({
  ...loadConfig({ workspace, port: "0" }),
  access: { allowedHosts: [], insecureOpen: false },
  models: { autoConfigure: false, rehearse: false },
  variable: (name: string) => variables[name],
});

const parts = { ...builtParts, loadConfig: async () => configOf(here.path) };

async function platform(...args: string[]) {
  return say(["platform", ...args], { folder: here.path, parts, stdin: "correct horse\n" });
}

async function json(...args: string[]) {
  const { stdout } = await platform(...args, "--json");
  return JSON.parse(stdout);
}

test("everything of a day's work goes through the data folder, without a server", async () => {
  expect((await platform("tenants")).stderr).toContain("No tenants.");
  expect((await json("tenants", "create", "Ada Ltd")).message).toBe(
    "You are not signed in to this platform.",
  );
  expect(await platform("register", "ada@example.com", "--name", "Ada")).toEqual({
    code: 0,
    stdout: "",
    stderr: "Signed in as ada@example.com.\n",
  });
  // The file contains credentials.
  expect(statSync(join(here.path, ".argosy/platform-session.json")).mode & 0o777).toBe(0o600);
  const tenant = await json("tenants", "create", "Ada Ltd");
  expect(await json("tenants")).toEqual({ tenants: [{ ...tenant, owner: "ada@example.com" }] });

  writeFileSync(join(here.path, "helper.yaml"), manifest("You help."));
  expect((await platform("agents", "apply", "helper.yaml")).stderr).toBe("helper is now at version 1.\n");
  writeFileSync(join(here.path, "helper.yaml"), manifest("You help a lot."));
  expect(await json("agents", "apply", "helper.yaml", "--tenant", tenant.crName)).toMatchObject({
    current_version: 2,
  });
  const diff = await platform("agents", "diff", "helper", "1", "2");
  expect(diff.stdout).toBe('~ spec.prompts.system: "You help." → "You help a lot."\n');
  expect((await platform("agents", "restore", "helper", "1")).stderr).toBe("helper is now at version 3.\n");
  expect((await json("agents", "versions", "helper")).versions).toMatchObject([
    { number: 3, author: "cli" },
    { number: 2 },
    { number: 1 },
  ]);
  expect(JSON.parse((await platform("agents", "show", "helper", "2")).stdout)).toMatchObject({
    spec: { prompts: { system: "You help a lot." } },
  });

  const ran = await platform("run", "helper", "How", "are", "you?");
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("How are you?") });
  const kept = await json("run", "helper", "Once", "--idempotency-key", "k1");
  expect(await json("run", "helper", "Once", "--idempotency-key", "k1")).toEqual(kept);
  const { invocations } = await json("runs", "helper");
  expect(invocations).toHaveLength(2);
  expect(await json("runs", "helper", kept.invocation_id)).toMatchObject({ status: "ok" });
  const steps = await platform("runs", "helper", kept.invocation_id, "--steps");
  expect(steps.stdout).toMatch(/agent\.run .*OK.*llm\.complete .*rehearsal/s);
  expect((await json("runs", "helper", kept.invocation_id, "--steps")).spans[0]).toMatchObject({
    name: "agent.run",
  });
  expect((await platform("runs", "helper", "--limit", "1")).stdout).toContain(kept.invocation_id);

  const other = manifest("You help others.").replace("helper", "other");
  writeFileSync(join(here.path, "other.yaml"), other);
  expect((await platform("agents", "apply", "other.yaml")).code).toBe(0);
  expect((await platform("run", "other", "Hello")).code).toBe(0);
  const named = (await json("runs")).invocations.map(({ agent_name }: { agent_name: string }) => agent_name);
  expect(named).toEqual(["other", "helper", "helper"]);
  const table = (await platform("runs", "--limit", "2")).stdout.trim().split("\n").slice(1);
  expect(table.map((line) => line.split(/ {2,}/)[1])).toEqual(["other", "helper"]);
  expect((await platform("agents", "delete", "other", "--yes")).code).toBe(0);

  expect((await json("usage")).month).toMatchObject({ invocations: 3 });
  expect((await platform("usage")).stdout).toContain("of 5");
  expect(await json("statement")).toMatchObject({ tenant_id: tenant.id, total_micros: 0 });
  expect((await platform("statement", "--form", "csv")).stdout).toStartWith("type,description,quantity");
  expect((await platform("agents", "delete", "helper")).code).toBe(2);
  expect((await platform("agents", "delete", "helper", "--yes")).stderr).toBe("Deleted helper.\n");
});

test("an operator bills from the command line: prices are typed as decimals and stored exactly", async () => {
  const tenant = (await json("tenants")).tenants[0];
  const tariff = ["tariffs", "create", "lab", "large", "--in", "0.02", "--out", "1.234567"];
  const unsure = await platform(...tariff);
  expect(unsure).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
  expect((await json("tariffs")).tariffs).toEqual([]);
  expect(await json(...tariff, "--yes")).toMatchObject({
    credits_per_1k_in_micros: 20_000,
    credits_per_1k_out_micros: 1_234_567,
    credits_per_1k_cached_in_micros: null,
  });
  expect((await platform("tariffs")).stdout).toMatch(/lab +large +0\.02 +1\.234567 +as in/);
  for (const price of ["1.2345678901", "-1", "1e3", "1,5", ".5", "", "1000001", "NaN"]) {
    expect(
      (await platform("tariffs", "create", "lab", "x", `--in=${price}`, "--out", "1", "--yes")).code,
    ).toBe(2);
  }

  const pro = [
    "plans",
    "create",
    "plan_pro",
    "--name",
    "Pro",
    "--fee",
    "29.90",
    "--credit-cap",
    "none",
    "--yes",
  ];
  expect(await json(...pro)).toMatchObject({
    id: "plan_pro",
    argo_code: null,
    min_fee_micros: 29_900_000,
    credit_cap_period_micros: null,
    max_rpm: 60,
  });
  expect((await platform("plans", "show", "plan_pro")).stdout).toContain("29.9");
  expect(await platform("plans", "show", "ghost")).toMatchObject({ code: 1 });
  expect((await platform("plans")).stdout).toContain("plan_pro");
  expect(await json("plans", "assign", "plan_pro")).toMatchObject({
    tenant_id: tenant.id,
    plan_id: "plan_pro",
  });
  const erp = [
    "plans",
    "create",
    "erp_1",
    "--name",
    "ERP",
    "--argo",
    "erp",
    "--unit",
    "erp.message=100:0.02",
  ];
  expect(await json(...erp, "--yes")).toMatchObject({
    spec: { unidades: { "erp.message": { incluidas: 100, excedente_micros: 20_000 } } },
  });

  expect(
    (await platform("plans", "create", "erp_2", "--name", "E", "--argo", "erp", "--yes")).stderr,
  ).toContain("argosy platform subscriptions create --argo erp --plan erp_2");
  expect((await json("tariffs", "rerate")).tenants).toEqual([]);

  const day = new Date().toISOString().slice(0, 10);
  const begun = await json("subscriptions", "create", "--argo", "erp", "--plan", "erp_1", "--from", day);
  expect(begun).toMatchObject({ tenant_id: tenant.id, status: "active" });
  const listed = (await platform("subscriptions")).stdout;
  for (const shown of [begun.id, tenant.crName, tenant.id]) expect(listed).toContain(shown);
  expect((await platform("subscriptions", "show", begun.id)).stdout).toContain(tenant.crName);
  expect(await json("subscriptions", "change-plan", begun.id, "erp_1")).toMatchObject({ next_plan_id: null });
  expect((await platform("subscriptions", "cancel", begun.id)).code).toBe(2);
  expect(await json("subscriptions", "cancel", begun.id, "--yes")).toMatchObject({ status: "cancelled" });

  expect((await platform("statement", "--tenant", tenant.displayName)).stdout).toContain(tenant.displayName);
  expect((await platform("periods")).code).toBe(0);
  expect((await json("periods", "overdue")).periods).toEqual([]);
  expect(await platform("periods", "mark-invoiced", "ghost")).toMatchObject({ code: 2 });
  expect(await platform("periods", "mark-invoiced", "ghost", "--yes")).toMatchObject({ code: 1 });

  const actions = (await json("audit")).entries.map(({ action }: { action: string }) => action);
  expect(actions).toContain("plan.create");
  expect((await json("audit", "--action", "plan.create")).entries).toHaveLength(3);
  expect((await platform("audit", "--limit", "1")).stdout.trim().split("\n")).toHaveLength(2);
});

test("connections take their secrets from stdin and never show them", async () => {
  const material = '{"api_key": "secret-of-the-crm"}';
  const command = ["platform", "connections", "create", "api_crm", "--json"];
  const where = ["--base-url", "https://crm.example.com"];
  const store = (stdin: string, address = where) =>
    say([...command, ...address], { folder: here.path, parts, stdin });
  // Without an address, the secrets would be for no server.
  expect((await store(material, [])).code).toBe(2);
  const stored = await store(material);
  expect(stored).toMatchObject({ code: 0, stdout: expect.stringContaining("api_crm") });
  for (const wrong of ["secret-of-the-crm", "[1]", ""]) {
    const refused = await store(wrong);
    expect(refused.code).toBe(2);
    expect(refused.stdout + refused.stderr).not.toContain("secret-of-the-crm");
  }
  const listed = await platform("connections");
  expect(listed.stdout).toContain("api_crm");
  expect(listed.stdout + listed.stderr + stored.stdout).not.toContain("secret-of");
  expect((await platform("connections", "delete", "api_crm")).code).toBe(2);
  expect((await platform("connections", "delete", "api_crm", "--yes")).code).toBe(0);
  expect((await json("connections")).connections).toEqual([]);
});

test("the doctor looks at the platform as well, and says where tariffs are missing", async () => {
  const { code, stdout } = await say(["doctor"], { folder: here.path, parts });
  expect(code).toBe(0);
  expect(stdout).toContain("platform storage Storage at");
  expect(stdout).toContain("are not charged: rehearsal/rehearsal.");
});

test("operators are made and unmade on the machine", async () => {
  expect((await platform("operator")).stderr).toContain("No operators.");
  expect((await platform("operator", "grant", "ada@example.com")).stderr).toBe(
    "ada@example.com is an operator.\n",
  );
  expect((await json("operator", "list")).operators).toMatchObject([{ email: "ada@example.com" }]);
  expect((await platform("operator", "revoke", "ada@example.com")).code).toBe(0);
  expect((await json("operator")).operators).toEqual([]);
  expect((await platform("operator", "grant", "nobody@example.com")).code).toBe(1);
  expect((await platform("invite", "bob@example.com")).stderr).toBe("bob@example.com may register.\n");
  const unconfirmed = await platform("reset-password", "ada@example.com");
  expect([unconfirmed.code, unconfirmed.stdout]).toEqual([2, ""]);
  expect((await json("reset-password", "nobody@example.com", "--yes")).error).toBe("user_not_found");
  const reset = await platform("reset-password", "ada@example.com", "--password", "--yes");
  expect(reset.stdout).toMatch(/^[a-z0-9]{5}(-[a-z0-9]{5}){3}\n$/);
  expect(reset.stderr).toStartWith("ada@example.com signs in with this password and must change it then.");
  // Revoking ended the session.
  expect((await json("keys")).message).toBe("You are not signed in to this platform.");
  const typing = (stdin: string, ...args: string[]) =>
    say(["platform", ...args], { folder: here.path, parts, stdin });
  const given = reset.stdout.trim();
  expect((await typing(given, "login", "ada@example.com")).stderr).toContain("account password");
  expect((await json("account")).error).toBe("password_expired");
  expect((await typing(given, "account", "password")).code).toBe(2);
  expect((await typing(`${given}\nown password\n`, "account", "password")).code).toBe(0);
  expect(await json("account")).toMatchObject({ email: "ada@example.com" });
});

test("a person changes their account by links, sees and ends sessions, and deletes it", async () => {
  const typing = (stdin: string, ...args: string[]) =>
    say(["platform", ...args], { folder: here.path, parts, stdin });
  const made = await platform("reset-password", "ada@example.com", "--yes");
  expect(made.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/platform#password=pwd_[\w-]{43}\n$/);
  const used = await typing("by the link", "account", "use-link", made.stdout.trim());
  expect([used.code, used.stderr]).toEqual([0, "Set the password. Signed in as ada@example.com.\n"]);
  expect((await typing("by the link", "account", "use-link", made.stdout.trim())).code).toBe(1);

  expect((await platform("email-changes")).stderr).toBe("No open requests.\n");
  expect((await typing("wrong", "account", "email", "ada@new.example")).code).toBe(1);
  expect((await typing("by the link", "account", "email", "ada@new.example")).code).toBe(0);
  expect((await platform("email-changes", "list")).stdout).toContain("ada@new.example");
  const link = await platform("email-changes", "link", "ada@example.com");
  expect(link.stdout).toMatch(/\/platform\/account#email=eml_[\w-]{43}\n$/);
  expect((await json("account", "confirm-email", link.stdout.trim())).email).toBe("ada@new.example");

  const session = async () => (await json("account", "sessions")).sessions;
  expect(await session()).toMatchObject([{ current: true }]);
  expect((await platform("account", "sessions")).stdout).toContain("(this one)");
  expect((await platform("account", "end-session", "nothing")).code).toBe(1);
  expect((await platform("account", "end-other-sessions")).code).toBe(0);
  expect((await platform("keys", "create", "deletion")).code).toBe(0);
  const asked = await platform("account", "delete");
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining("keys deletion (Ada Ltd).")]);
  expect((await json("account", "delete", "--yes")).error).toBe("last_owner");
  const [{ id }] = await session();
  expect((await platform("account", "end-session", id)).code).toBe(0);
  expect((await json("account")).message).toBe("You are not signed in to this platform.");
});

test("a platform elsewhere is used as a person, by a key or by the operator token", async () => {
  variables = { ARGOSY_PLATFORM_URL: url };
  expect((await json("agents")).message).toBe("You are not signed in to this platform.");
  expect((await platform("register", "eve@example.com")).code).toBe(0);
  const one = await json("tenants", "create", "One");
  const two = await json("tenants", "create", "Two");
  const unsaid = await json("agents");
  expect(unsaid).toMatchObject({ error: "usage", message: expect.stringContaining(two.crName) });
  expect((await json("agents", "--tenant", "nobody")).error).toBe("not_found");
  expect(await json("agents", "--tenant", one.id)).toEqual({ agents: [] });
  const key = (await platform("keys", "create", "ci", "--tenant", one.crName)).stdout.trim();
  expect(key).toStartWith("apk_");
  const { keys } = await json("keys", "--tenant", one.crName);
  expect(keys).toMatchObject([{ label: "ci" }]);

  variables = { ARGOSY_PLATFORM_KEY: key };
  writeFileSync(join(here.path, "helper.yaml"), manifest("You help."));
  expect((await platform("agents", "apply", "helper.yaml", "--url", url)).code).toBe(0);
  expect((await platform("run", "helper", "Hi", "--url", url)).stdout).toContain("Hi");
  expect((await json("operator", "list", "--url", url)).message).toContain("unknown option");

  variables = { ARGOSY_PLATFORM_URL: url };
  expect(await json("operator", "list")).toMatchObject({ error: "usage" });
  expect(await json("statement", "--tenant", one.id)).toMatchObject({ error: "unauthorized" });
  expect((await platform("keys", "revoke", keys[0].hash, "--tenant", one.crName)).code).toBe(0);
  expect((await platform("tenants", "delete", two.crName)).code).toBe(2);
  expect((await platform("tenants", "delete", two.crName, "--yes")).code).toBe(0);
  expect((await json("tenants")).tenants).toEqual([{ ...one, role: "owner" }]);
  expect((await platform("logout")).stderr).toBe("Signed out.\n");
  expect((await json("tenants")).error).toBe("unauthorized");
});

test("members are invited, join, get another role and leave", async () => {
  variables = { ARGOSY_PLATFORM_URL: url };
  expect((await platform("login", "eve@example.com")).code).toBe(0);
  expect((await platform("members")).stdout).toContain("eve@example.com");
  expect(await json("members", "remove", "eve@example.com")).toMatchObject({ error: "usage" });
  expect(await json("members", "remove", "eve@example.com", "--yes")).toMatchObject({ error: "last_owner" });
  expect((await json("members", "invite", "dan@example.com", "--role", "king")).error).toBe("usage");
  const unused = await json("members", "invite", "none@example.com");
  expect((await platform("members", "withdraw", unused.id)).stderr).toBe("Withdrew the invitation.\n");
  const invited = await platform("members", "invite", "dan@example.com", "--role", "viewer");
  expect(invited.stderr).toContain("dan@example.com joins with: argosy platform members join <token>");
  const token = invited.stdout.trim();
  expect((await platform("members", "invitations")).stdout).toContain("dan@example.com");

  expect((await platform("register", "dan@example.com", "--name", "Dan")).code).toBe(0);
  expect((await platform("members", "join", token)).stderr).toMatch(
    /^You are now a member of One \(one-[a-z0-9]{6}\) as viewer\.\n$/,
  );
  expect((await platform("tenants")).stdout).toContain("viewer");
  expect(await json("keys", "create", "mine")).toMatchObject({ error: "role_required" });

  expect((await platform("login", "eve@example.com")).code).toBe(0);
  expect((await platform("members", "role", "Dan@example.com", "admin")).stderr).toBe(
    "dan@example.com now has the role admin.\n",
  );
  expect((await json("members", "role", "nobody@example.com", "admin")).error).toBe("not_found");
  expect((await json("members")).members).toMatchObject([
    { email: "eve@example.com", role: "owner" },
    { email: "dan@example.com", role: "admin" },
  ]);
  expect((await platform("login", "dan@example.com")).code).toBe(0);
  expect((await platform("keys", "create", "dans")).code).toBe(0);
  expect((await platform("login", "eve@example.com")).code).toBe(0);
  const remove = ["members", "remove", "dan@example.com"] as const;
  expect(await json(...remove)).toMatchObject({
    error: "usage",
    message: "This would remove dan@example.com from the tenant. It would revoke the API keys dans.",
  });
  expect((await json(...remove, "--keep-keys")).message).toEndWith(" It would keep the API keys dans.");
  expect(await json(...remove, "--keep-keys", "--yes")).toMatchObject({
    removed: true,
    revoked_keys: [],
    kept_keys: ["dans"],
  });
  expect((await json("keys")).keys).toMatchObject([{ label: "dans", created_by: "dan@example.com" }]);
  expect((await json("members")).members).toHaveLength(1);
  expect((await platform("logout")).code).toBe(0);
});

test.each([
  [["agents", "apply", "nowhere.yaml"], "nowhere.yaml can't be read."],
  [["agents", "show", "helper", "01"], "It must be a version's number"],
  [["usage", "--period", "2026-13"], "It must be a month"],
  [["tenants", "--url", "ftp://x"], "must be one of http or https"],
  [["login", "ada@example.com", "--url", "http://127.0.0.1:9"], "can't be reached"],
])("%j is refused in words", async (args, words) => {
  variables = {};
  const said = await platform(...args);
  expect(said.code).not.toBe(0);
  expect(said.stderr).toContain(words);
});

test("a manifest that can't run is refused with the place of each fault", async () => {
  variables = {};
  expect((await platform("register", "zoe@example.com")).code).toBe(0);
  await platform("tenants", "create", "Zoe");
  const [tenant] = (await json("tenants")).tenants.filter(
    ({ owner }: { owner: string }) => owner === "zoe@example.com",
  );
  writeFileSync(join(here.path, "bad.yaml"), manifest("x").replace("prompts:", "promts:"));
  const said = await platform("agents", "apply", "bad.yaml", "--tenant", tenant.id);
  expect(said.code).toBe(2);
  expect(said.stdout).toContain("promts");
  expect(said.stdout).toStartWith("bad.yaml");
});
