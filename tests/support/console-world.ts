import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ConsoleLink } from "../../src/contracts/console/session.ts";
import { daemonClient } from "../../src/contracts/daemon/client.ts";
import { type PlatformClient, platformClient } from "../../src/contracts/platform/clients/client.ts";
import { serviceFetch } from "../../src/kit/fetch/service-fetch.ts";
import { controlSocketPath } from "../../src/storage/files/data-folder.ts";
import { planInput } from "../conformance/platform/route-row.ts";
import { fillCloud, fillTranslator } from "./cloud-world.ts";
import { type Environment, type ServerProcess, startServer } from "./executable.ts";
import { fillGateway, gatewayEnvironment } from "./gateway-world.ts";
import { temporaryFolder } from "./temp-folder.ts";
import { until } from "./until.ts";
import { writeFiles } from "./write-files.ts";

const root = join(import.meta.dir, "../..");
const services = ["daemon", "platform", "gateway", "cloud", "translator"];
export const operatorToken = "operator-token-of-at-least-32-bytes";
const fetchNow = (request: Request) => serviceFetch(request);

/** A server with data for everything that the console shows. */
export interface ConsoleWorld extends AsyncDisposable {
  server: ServerProcess;
  folder: string;
  env: Environment;
  /** Names for the addresses of pages. */
  names: WorldNames;
  /** Returns a link that opens the console once. */
  link(): Promise<string>;
}

export interface WorldNames {
  tenant: string;
  /** Subscription of another tenant. */
  subscription: string;
  trace: string;
  recording: string;
  session: string;
  /** Two runs of the eval `hello`. */
  evalRun: string;
  evalRunBefore: string;
  invocation: string;
  /** Run of the tenant's eval. */
  tenantEvalRun: string;
  account: string;
  contact: string;
  /** The org of the machine's owner, and an agent in it. */
  org: string;
  cloudAgent: string;
  /** Run of the org's eval. */
  orgEvalRun: string;
  /** An agent's manifest that the translator has applied. */
  spec: string;
}

/** Its manifests: the gallery agents, one that waits for approvals, and one that fails to load. */
const manifests = {
  "agents/clerk.agent.yaml": `apiVersion: platform/v1
kind: Agent
metadata: {name: clerk}
spec:
  identity: {description: "Files notes, once somebody has agreed."}
  model: {primary: {provider: rehearsal, model: rehearsal}}
  prompts: {system: You file notes.}
  tools:
    - {name: cache_store, type: builtin, requires_approval: true}
`,
  "agents/broken.agent.yaml": `apiVersion: platform/v1
kind: Agent
metadata: {name: broken}
spec:
  model: {primary: {provider: rehearsal, model: rehearsal}}
  promts: {system: A key that is none.}
`,
  "evals/hello.eval.yaml": `apiVersion: platform/v1
kind: Eval
metadata: {name: hello}
spec:
  agent: hello
  description: Greetings.
  tools: {others: execute}
  cases:
    - {id: time, query: What time is it in Tokyo?, tags: [clock], checks: [{tool_called: {tool: datetime_now}}]}
    - {id: greeting, query: Hello there, expected: Hello., checks: [{contains: a word that is never there}]}
`,
};

/** Starts it over a folder of its own, on any free ports. */
export async function startConsoleWorld(): Promise<ConsoleWorld> {
  const folder = temporaryFolder();
  const env = { PLATFORM_OPERATOR_TOKEN: operatorToken, ...gatewayEnvironment };
  cpSync(join(root, "agents"), join(folder.path, "agents"), { recursive: true });
  cpSync(join(root, "rag"), join(folder.path, "rag"), { recursive: true });
  writeFiles(folder.path, manifests);
  const server = await startServer(folder.path, { services, env });
  const world = { server, folder: folder.path, env, link: () => consoleLink(folder.path, env) };
  const dispose = async () => {
    await server[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  };
  try {
    const { shop, ...platform } = await fillPlatform(server);
    const gateway = await fillGateway(server, shop);
    const cloud = await fillCloud(server, await world.link());
    const translator = await fillTranslator(server);
    const evals = await fillEvals(folder.path);
    const names = {
      ...(await fillDaemon(server)),
      ...evals,
      ...platform,
      ...gateway,
      ...cloud,
      ...translator,
    };
    return { ...world, names, [Symbol.asyncDispose]: dispose };
  } catch (thrown) {
    await dispose();
    throw thrown;
  }
}

/** Asks the daemon itself for a link: starting `argosy console` takes many times as much CPU time. */
export async function consoleLink(folder: string, env: Environment): Promise<string> {
  const response = await serviceFetch("http://localhost/console/links", {
    method: "POST",
    unix: socketOf(folder, env),
  });
  const { url } = (await response.json()) as ConsoleLink;
  return url;
}

/** The daemon's control socket, for the machine's owner. */
const socketOf = (folder: string, env: Environment) =>
  controlSocketPath(join(folder, env.ARGOSY_DATA ?? ".argosy"));

/** Runs the eval twice. */
async function fillEvals(folder: string) {
  // Only the machine's owner works with evals.
  const unix = socketOf(folder, {});
  const daemon = daemonClient({
    fetch: (request) => serviceFetch(request, { unix }),
    baseUrl: "http://localhost",
  });
  const ids: string[] = [];
  for (let run = 0; run < 2; run++) {
    const { id } = await daemon.startEvalRun("hello", {});
    for await (const { type } of daemon.followEvalRun(id)) if (type === "done") break;
    ids.push(id);
  }
  // Within one second, ids are in no order.
  const [evalRunBefore = "", evalRun = ""] = ids.sort();
  return { evalRunBefore, evalRun };
}

async function fillDaemon(server: ServerProcess) {
  const daemon = daemonClient({ fetch: fetchNow, baseUrl: server.url });
  const recorded = await daemon.run("hello", { query: "What time is it in Tokyo?", record: true });
  for (const query of ["Hello, who are you?", "What time is it?"]) {
    await daemon.run("support", { query, session_id: "desk-1" });
  }
  await daemon.run("errand", { query: 'set key "door" to "4711" in the cache' });
  // This run waits for an approval.
  await server.run("clerk", 'set key "gate" to "open" in the cache');
  await daemon.setBudget("hello", { budget: 5 });
  await daemon.ragIngest({
    collection: "handbook",
    pipeline: "handbook",
    documents: [{ id: "approvals", text: readFileSync(join(root, "docs/approvals.md"), "utf8") }],
  });
  return { trace: recorded.trace_id, recording: recorded.cassette ?? "", session: "desk-1" };
}

const tariff = {
  provider: "rehearsal",
  model: "rehearsal",
  credits_per_1k_in_micros: 1_000_000,
  credits_per_1k_out_micros: 2_000_000,
};

const helper = (prompt: string) => `apiVersion: platform/v1
kind: Agent
metadata: {name: helper}
spec:
  identity: {description: Helps in the shop.}
  model: {primary: {provider: rehearsal, model: rehearsal}}
  prompts: {system: "${prompt}"}
`;

async function fillPlatform(server: ServerProcess) {
  const address = { fetch: fetchNow, baseUrl: server.urlOf("platform") };
  const operator = platformClient({ ...address, operatorToken });
  await operator.fileTariff(tariff);
  const account = { email: "ada@example.com", password: "correct horse", displayName: "Ada" };
  const { accessToken } = await platformClient(address).register(account);
  const { id: tenant } = await platformClient({ ...address, accessToken }).createTenant("Ada Ltd");
  const ada = platformClient({ ...address, accessToken, tenantId: tenant });
  await ada.createAgent(helper("You help."));
  await ada.updateAgent("helper", helper("You help, kindly."));
  const { body } = await ada.run("helper", { query: "Do you sell tea?" });
  await ada.run("helper", { query: "And coffee?" });
  await ada.putConnection("crm", { base_url: "https://crm.example.com", material: { token: "a secret" } });
  await ada.createKey(tenant, "shop");
  const evalRun = await runEval(ada);
  const shop = await fillShop(server, accessToken);
  const { subscription } = shop;
  return { tenant, subscription, shop, invocation: body.invocation_id, tenantEvalRun: evalRun };
}

/** Stores an eval with a case that passes and one that fails, and runs it. */
async function runEval(ada: PlatformClient): Promise<string> {
  await ada.putEval("opening", {
    apiVersion: "platform/v1",
    kind: "Eval",
    metadata: { name: "opening" },
    spec: {
      agent: "helper",
      cases: [
        { id: "answers", query: "When does the shop open?", checks: [{ not_contains: "Nobody knows" }] },
        { id: "knows", query: "When does the shop close?", checks: [{ contains: "At nine in the evening" }] },
      ],
    },
  });
  const { id } = await ada.startEvalRun("opening", {});
  await until(async () => (await ada.getEvalRun(id)).ended_at !== null);
  return id;
}

/** A second tenant, whose agent answers on the gateway and may run as often as a test wants. */
async function fillShop(server: ServerProcess, accessToken: string) {
  const address = { fetch: fetchNow, baseUrl: server.urlOf("platform") };
  const operator = platformClient({ ...address, operatorToken });
  const { id: tenant } = await platformClient({ ...address, accessToken }).createTenant("Tea shop");
  await operator.createPlan(planInput("unlimited"));
  await operator.setTenantPlan(tenant, "unlimited");
  const ada = platformClient({ ...address, accessToken, tenantId: tenant });
  await ada.createAgent(helper("You help in a tea shop."));
  const { rawKey: key } = await ada.createKey(tenant, "gateway");
  await operator.createPlan({ ...planInput("shop"), argo_code: "shop" });
  const { id: subscription } = await operator.createSubscription({
    tenant_id: tenant,
    argo_code: "shop",
    plan_id: "shop",
    desde: new Date().toISOString().slice(0, 10),
  });
  return { tenant, key, subscription };
}
