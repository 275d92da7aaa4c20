import { expect, test } from "bun:test";
import { cloudClient } from "../../../src/contracts/cloud/client.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import { draft, startCloud } from "../../support/cloud.ts";
import { evalOf } from "../../support/hosted-evals.ts";
import { sqliteEngine } from "../../support/storage-engines.ts";

test("the client has a method for every route, and reads every answer", async () => {
  await using cloud = await startCloud(sqliteEngine);
  const called = new Set<string>();
  const at = (headers: Record<string, string> = {}) =>
    cloudClient({
      baseUrl: cloud.url,
      headers,
      fetch: (request) => {
        called.add(`${request.method} ${new URL(request.url).pathname}`);
        return fetch(request);
      },
    });
  const anyone = at();
  const tokens = await anyone.devLogin({ email: "ada@example.com", name: "Ada" });
  const { access_token } = await anyone.refresh(tokens.refresh_token);
  const ada = at({ authorization: `Bearer ${access_token}` });
  const stubs = [
    () => anyone.google({ id_token: "x" }),
    () => anyone.github({ code: "c" }),
    () => anyone.startGoogle({ redirect_uri: "https://x.example" }),
    () => anyone.startGithub({ redirect_uri: "https://x.example" }),
  ];
  for (const stub of stubs) {
    const refused = await stub().catch((thrown: unknown) => thrown);
    expect(refused).toBeInstanceOf(AppError);
    expect((refused as AppError).code).toBe("not_implemented");
  }
  const slug = "ada";
  expect(await ada.org()).toMatchObject({ slug });
  expect((await ada.orgs()).orgs).toHaveLength(1);
  expect(await ada.renameOrg(slug, "Ada Ltd")).toMatchObject({ display_name: "Ada Ltd" });
  await anyone.devLogin({ email: "bob@example.com", name: "Bob" });
  const invited = await ada.invite(slug, { email: "bob@example.com", role: "member" });
  const bobs = await anyone.devLogin({ email: "bob@example.com", name: "Bob" });
  const bob = at({ authorization: `Bearer ${bobs.access_token}` });
  expect((await bob.invitations()).invitations).toHaveLength(1);
  expect(await bob.acceptInvitation(invited.id)).toMatchObject({ slug });
  expect((await ada.members(slug)).members).toHaveLength(2);
  expect(await ada.changeRole(slug, invited.id, "admin")).toMatchObject({ role: "admin" });
  await ada.removeMember(slug, invited.id, { keepKeys: true });
  const again = await ada.invite(slug, { email: "bob@example.com", role: "member" });
  await bob.declineInvitation(again.id);
  const acme = await ada.createOrg("Acme");
  await ada.deleteOrg(acme.slug);
  const key = await ada.createKey(slug, "ci", "2030-01-01");
  expect((await ada.keys(slug)).keys).toHaveLength(1);
  await ada.saveProvider(slug, { provider: "openai", api_key: "sk-0123456789" });
  expect((await ada.providers(slug)).providers).toHaveLength(1);
  await ada.deleteProvider(slug, "openai");
  expect((await ada.catalog(slug)).providers.length).toBeGreaterThan(0);
  expect((await ada.checkConfig(slug, draft("helper"))).manifest).toContain("kind: Agent");
  expect((await ada.usageByDay(slug, 7)).by_day).toHaveLength(7);
  await ada.createAgent(slug, draft("helper"));
  expect((await ada.agents(slug)).agents).toHaveLength(1);
  await ada.updateAgent(slug, "helper", { step2: { persona: "x" } });
  expect(await ada.agent(slug, "helper")).toMatchObject({ step2: { persona: "x" } });
  expect(await ada.manifest(slug, "helper")).toContain("kind: Agent");
  await ada.deploy(slug, "helper");
  const program = at({ "x-api-key": key.secret });
  const { result, rateLimit } = await program.run(slug, "helper", { query: "hi" });
  expect([result.answer, rateLimit.remaining]).toEqual(["Hello there.", 999]);
  expect((await program.test(slug, "helper", { query: "hi" })).rateLimit.remaining).toBe(999);
  const frames = await Array.fromAsync(program.streamRun(slug, "helper", { query: "hi" }));
  expect(frames.map(({ type }) => type)).toEqual(["token", "done"]);
  const socket = new WebSocket(await program.streamUrl(slug, "helper"));
  called.add(`GET /api/v1/orgs/${slug}/agents/helper/stream`);
  const answered = Promise.withResolvers<string>();
  socket.onopen = () => socket.send(JSON.stringify({ query: "hi" }));
  socket.onmessage = ({ data }) => answered.resolve(String(data));
  expect(JSON.parse(await answered.promise)).toEqual({ type: "token", content: "Hello there." });
  socket.close();
  await program.streamTicket(slug, "helper");
  expect((await ada.audit(slug, { limit: 2 })).entries).toHaveLength(2);
  expect((await ada.usage(slug)).total_requests).toBeGreaterThanOrEqual(2);
  const evals = ada.evals(slug);
  await evals.putEval("greets", evalOf("greets", ["hello"], { agent: "helper" }));
  const { value, tag } = await evals.readEval("greets");
  expect(await evals.getEval("greets")).toEqual(value);
  await evals.putEval("greets", evalOf("greets", ["bye"], { agent: "helper" }), { match: tag });
  expect((await evals.listEvals()).evals).toHaveLength(1);
  const ordered = await evals.startEvalRun("greets", { budget_tokens: 100 });
  expect(ordered).toMatchObject({ status: "queued", budget_tokens: 100, tokens_used: 0 });
  expect((await evals.listEvalRuns({ eval: "greets" })).runs).toEqual([ordered]);
  expect(await evals.listEvalResults(ordered.id)).toEqual({ results: [], total: 0 });
  await evals.cancelEvalRun(ordered.id);
  expect((await evals.getEvalRun(ordered.id)).status).toBe("cancelled");
  const gate = await ada.setReleaseRules(slug, "helper", { requires: [{ eval: "greets" }] });
  // What was deployed may be deployed again.
  expect(gate).toMatchObject({ accepted: true, requires: [{ eval: "greets", min_score: 1 }] });
  expect(await ada.releaseGate(slug, "helper")).toEqual(gate);
  await evals.deleteEval("greets");
  await ada.changeDraft(slug, "helper", { display_name: "Next" });
  expect((await ada.draft(slug, "helper")).display_name).toBe("Next");
  await ada.discardDraft(slug, "helper");
  await ada.changeDraft(slug, "helper", { display_name: "Next" });
  await ada.publishDraft(slug, "helper", { release_override: "no eval yet" });
  await ada.renameAgent(slug, "helper", "guide");
  await ada.renameAgent(slug, "guide", "helper");
  await ada.pause(slug, "helper");
  await ada.deleteAgent(slug, "helper");
  await ada.revokeKey(slug, key.id);
  const trial = await Array.fromAsync(ada.tryAgent(slug, { agent: draft("tried"), query: "hi" }));
  expect(trial.map(({ type }) => type)).toEqual(["token", "done"]);
  expect(await ada.me()).toMatchObject({ email: "ada@example.com" });
  const elsewhere = await anyone.devLogin({ email: "ada@example.com", name: "Ada" });
  const { sessions } = await ada.listSessions();
  expect(sessions.length).toBeGreaterThanOrEqual(2);
  await at({ authorization: `Bearer ${elsewhere.access_token}` }).endSession(sessions[0]?.id ?? "");
  await ada.endOtherSessions();
  await ada.deleteAccount().catch((thrown: unknown) => expect(thrown).toBeInstanceOf(AppError));
  await ada.logout();
  const missing = cloud.routes.filter(({ method, path }) => {
    const pattern = new RegExp(`^${method} ${path.replace(/\/$/, "").replaceAll(/:\w+/g, "[^/]+")}$`);
    return path.startsWith("/api/") && ![...called].some((one) => pattern.test(one));
  });
  expect(missing).toEqual([]);
});

test("a refusal keeps its code and every fault", async () => {
  await using cloud = await startCloud(sqliteEngine);
  const { accessToken } = await cloud.login("ada@example.com");
  const client = cloudClient({
    baseUrl: cloud.url,
    headers: { authorization: `Bearer ${accessToken}` },
    fetch: (request) => fetch(request),
  });
  const refused = await client
    .createAgent("ada", { name: "X", display_name: "" })
    .catch((thrown: unknown) => thrown);
  const { kind, code, details } = refused as AppError;
  expect([kind, code, details.problems?.map(({ path }) => path)]).toEqual([
    "invalid",
    "invalid_config",
    ["name", "display_name"],
  ]);
  expect(details.facts).toBeUndefined();
});
