import { type CloudClient, cloudClient } from "../../src/contracts/cloud/client.ts";
import { translatorClient } from "../../src/contracts/translator/client.ts";
import { serviceFetch } from "../../src/kit/fetch/service-fetch.ts";
import { consoleBrowser } from "./console-browser.ts";
import type { ServerProcess } from "./executable.ts";
import { until } from "./until.ts";

/** Signs in by a link, and adds agents, keys and a member to the owner's org. */
export async function fillCloud(server: ServerProcess, link: string) {
  const cloud = await ownersCloud(server, link);
  const { slug } = await cloud.org();
  await cloud.createAgent(slug, {
    name: "shop-helper",
    display_name: "Shop helper",
    step1: { model: "rehearsal/rehearsal" },
    step2: { system_prompt: "You help in a shop.", persona: "Friendly" },
    step3: { tools: ["datetime_now"] },
    step5: { input_guardrails: ["pii_detection"] },
  });
  await cloud.deploy(slug, "shop-helper");
  await cloud.run(slug, "shop-helper", { query: "What time is it in Tokyo?" });
  await cloud.createAgent(slug, { name: "draft", display_name: "A draft" });
  await cloud.createKey(slug, "web-shop");
  await cloud.saveProvider(slug, { provider: "openai", api_key: "sk-of-a-test-1234" });
  await cloud.invite(slug, { email: "bea@example.com", role: "member" });
  const orgEvalRun = await runEval(cloud, slug);
  return { org: slug, cloudAgent: "shop-helper", orgEvalRun };
}

/** Stores an eval with a case that fails, runs it, and sets a gate that is not met. */
async function runEval(cloud: CloudClient, slug: string): Promise<string> {
  const evals = cloud.evals(slug);
  const checks = [{ contains: "At nine in the evening" }];
  await evals.putEval("opening", {
    apiVersion: "platform/v1",
    kind: "Eval",
    metadata: { name: "opening" },
    spec: {
      agent: "shop-helper",
      cases: [{ id: "knows", query: "When does the shop close?", checks }],
    },
  });
  const requires = [{ eval: "opening", min_score: 0.9, no_regressions: true }];
  await cloud.setReleaseRules(slug, "shop-helper", { requires });
  const { id } = await evals.startEvalRun("opening", {});
  await until(async () => (await evals.getEvalRun(id)).ended_at !== null);
  return id;
}

/** Client of the cloud in the session of a link, as a page has it. */
export async function ownersCloud(server: ServerProcess, link: string) {
  const browser = consoleBrowser(server.url);
  await browser.begin({ link: link.split("#open=")[1] ?? "" });
  return cloudClient({
    baseUrl: `${server.url}/console/api/cloud`,
    fetch(request) {
      for (const [name, value] of Object.entries(browser.headers())) request.headers.set(name, value);
      return serviceFetch(request);
    },
  });
}

const manifest = `apiVersion: platform/v1
kind: Agent
metadata: {name: help-desk}
spec:
  model: {primary: {provider: openai, model: gpt-5-mini}}
  prompts: {system: You help.}
  guardrails: {input: [{type: pii_detection}]}
`;

export const translatorOf = (server: ServerProcess) =>
  translatorClient({ fetch: (request) => serviceFetch(request), baseUrl: server.urlOf("translator") });

/** Stores a manifest and applies it to the embedded account. */
export async function fillTranslator(server: ServerProcess) {
  const translator = translatorOf(server);
  const { kind, name } = await translator.submit(manifest);
  await translator.reconcile(kind, name);
  return { spec: name };
}
