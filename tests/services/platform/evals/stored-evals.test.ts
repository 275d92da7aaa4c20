import { expect, test } from "bun:test";
import { evalsMax } from "../../../../src/contracts/evals/hosted-evals.ts";
import { evalOf } from "../../../support/hosted-evals.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";
import { asOwner, platformWithOwner, yaml } from "../agents/sent-spec.ts";
import { putEval, sendEval } from "./staged-evals.ts";

onEachEngine("a tenant's evals", (engine) => {
  test("are stored, listed, replaced (an outdated version is 412) and deleted", async () => {
    await using platform = await platformWithOwner(engine);
    const document = evalOf("greets", ["hello"]);
    const stored = await putEval(platform, document);
    expect(stored).toMatchObject({ name: "greets", agent: "support", cases: 1, manifest: document });
    await putEval(platform, evalOf("asks", ["why"]));
    const { evals } = (await asOwner(platform, "GET", "/api/v1/evals")).body;
    expect(evals.map(({ name }: { name: string }) => name)).toEqual(["asks", "greets"]);
    const read = await asOwner(platform, "GET", "/api/v1/evals/greets");
    expect(read.body).toEqual(stored);
    const tag = read.headers.get("etag") ?? "";
    const changed = evalOf("greets", ["hello", "bye"]);
    const headers = { "if-match": tag };
    const put = () => asOwner(platform, "PUT", "/api/v1/evals/greets", { body: changed, headers });
    const replaced = await put();
    expect(replaced).toMatchObject({ status: 200, body: { cases: 2 } });
    expect(replaced.body.content).not.toBe(stored.content);
    expect(await put()).toMatchObject({ status: 412, body: { error: "version_changed" } });
    expect(await asOwner(platform, "DELETE", "/api/v1/evals/greets", { headers })).toMatchObject({
      status: 412,
    });
    expect(await asOwner(platform, "DELETE", "/api/v1/evals/greets")).toMatchObject({ status: 204 });
    expect(await asOwner(platform, "DELETE", "/api/v1/evals/greets")).toMatchObject({
      status: 404,
      body: { error: "eval_not_found" },
    });
  });

  test("have a content that changes with what is asked and checked alone", async () => {
    await using platform = await platformWithOwner(engine);
    const { content } = await putEval(platform, evalOf("greets", ["hello"]));
    const same = await putEval(platform, evalOf("greets", ["hello"], { description: "Another", repeat: 3 }));
    expect(same.content).toBe(content);
    const other = await putEval(platform, evalOf("greets", ["hello"], { checks: [{ max_steps: 2 }] }));
    expect(other.content).not.toBe(content);
  });

  test.each([
    ["a dataset in a file", { cases: "cases.jsonl" }, "spec.cases", "write the cases into the document"],
    ["models", { models: ["lab/other"] }, "spec.models", "can't be honoured"],
    ["variants", { variants: [{ name: "v", prompt: "p.md" }] }, "spec.variants", "can't be honoured"],
    ["a budget in dollars", { budget_usd: 1 }, "spec.budget_usd", "give a budget with the run"],
    [
      "a judge",
      { checks: [{ judge: { rubric: "Good", model: "a/b" } }] },
      "spec.checks[0].judge",
      "can't be honoured",
    ],
    [
      "a price in dollars",
      { checks: [{ max_cost_usd: 1 }] },
      "spec.checks[0].max_cost_usd",
      "can't be honoured",
    ],
    [
      "too many runs",
      { repeat: 100, cases: Array.from({ length: 21 }, () => ({ query: "q", checks: [{ equals: "a" }] })) },
      "spec.repeat",
      "more than 2000",
    ],
    ["a case without a check", { cases: [{ id: "bare", query: "q" }] }, "spec.cases[0]", '"bare"'],
    ["a pattern without end", { checks: [{ regex: "(?=a)" }] }, "spec.checks[0].regex", ""],
    ["an unknown key", { caces: [] }, "spec.caces", ""],
  ])("with %s are 400", async (_, spec, path, message) => {
    await using platform = await platformWithOwner(engine);
    const refused = await sendEval(platform, evalOf("greets", ["hello"], spec));
    expect(refused).toMatchObject({ status: 400, body: { error: "invalid_manifest" } });
    expect(refused.body.problems).toContainEqual(
      expect.objectContaining({ path, message: expect.stringContaining(message) }),
    );
    expect((await asOwner(platform, "GET", "/api/v1/evals")).body.evals).toEqual([]);
  });

  test("under another name and beyond their number are refused; errors in YAML are 400 with their lines", async () => {
    await using platform = await platformWithOwner(engine);
    const text =
      "apiVersion: platform/v1\nkind: Eval\nmetadata: {name: greets}\nspec:\n  agent: support\n  cases: a.jsonl\n";
    const put = (name: string) =>
      asOwner(platform, "PUT", `/api/v1/evals/${name}`, { body: text, headers: yaml });
    expect(await put("greets")).toMatchObject({ status: 400, body: { problems: [{ line: 6 }] } });
    const named = await asOwner(platform, "PUT", "/api/v1/evals/other", { body: evalOf("greets", ["a"]) });
    expect(named).toMatchObject({ status: 400, body: { problems: [{ path: "metadata.name" }] } });
    const { storage, clock } = platform.deps;
    const { evals } = storage.tables;
    const [ownerId, updatedAt] = [platform.owner.id, clock.now()];
    await storage.transact((tx) =>
      tx.insert(evals).values(
        Array.from({ length: evalsMax }, (_, index) => ({
          ownerId,
          name: `e${index}`,
          agentName: "support",
          document: {},
          content: "",
          cases: 1,
          author: "test",
          updatedAt,
        })),
      ),
    );
    expect(await sendEval(platform, evalOf("greets", ["hello"]))).toMatchObject({
      status: 409,
      body: { error: "eval_limit_reached" },
    });
    // A stored document of an earlier release that can't run any more says so.
    expect(await asOwner(platform, "POST", "/api/v1/evals/e1/runs", { body: {} })).toMatchObject({
      status: 409,
      body: { error: "eval_outdated" },
    });
  });
});
