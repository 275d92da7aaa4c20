import { describe, expect, test } from "bun:test";
import { LocalAccount } from "../../../src/services/translator/accounts/local/local-account.ts";
import corpus from "../../corpora/yaml_manifests.json" with { type: "json" };
import { onEachEngine, sqliteEngine } from "../../support/storage-engines.ts";
import { agentYaml, deskYaml, handbookYaml, startTranslator } from "../../support/translator.ts";

/* The translator against its contract: each route's success and each of its refusals, in the order of the document. */

const problemsOf = async (path: string, yaml: string) => {
  await using translator = await startTranslator(sqliteEngine);
  const { status, body } = await translator.call("POST", path, { body: { yaml } });
  return { status, error: body.error, problems: body.problems };
};

const reader = ["POST /v1/specs", "POST /v1/translate"].map((route) => route.split(" ")[1] as string);

describe.each(reader)("POST %s, faults of the manifest (422) with line and column", (path) => {
  test.each([
    ["an unclosed list", "kind: Agent\nspec: [", 2, 8],
    ["a tab as indentation", "kind: Agent\nspec:\n\tx: 1\n", 3, 1],
    ["a duplicate key", "kind: Agent\nkind: Agent\n", 2, 1],
    ["a second document", `${agentYaml("a")}---\nkind: Agent\n`, 5, undefined],
    ["an unknown key", `${agentYaml("a")}extra: 1\n`, 5, 1],
    ["a bad name", agentYaml("Not_A_Name"), 3, 18],
    ["a variable", agentYaml("a", `\${HOME}`), 4, undefined],
  ])("%s", async (_title, yaml, line, column) => {
    const { status, error, problems } = await problemsOf(path, yaml);
    expect([status, error]).toEqual([422, "invalid_manifest"]);
    expect(problems[0]).toMatchObject({
      path: expect.any(String),
      message: expect.any(String),
      line,
      ...(column === undefined ? { column: expect.any(Number) } : { column }),
    });
  });

  test("every problem of a manifest is listed, each at its place", async () => {
    const yaml = `apiVersion: platform/v1
kind: Agent
metadata: {name: a}
spec:
  orchestration: {max_iterations: many, pattern: unheard}
  prompts: {system: 7}
`;
    const { problems } = await problemsOf(path, yaml);
    expect(problems.map(({ line }: { line: number }) => line).sort()).toEqual([5, 5, 6]);
  });
});

interface CorpusEntry {
  id: string;
  why: string;
  input: string | { repeat: [string, number]; then: [string, number] };
}

const textOf = ({ input }: CorpusEntry): string =>
  typeof input === "string"
    ? input
    : input.repeat[0].repeat(input.repeat[1]) + input.then[0].repeat(input.then[1]);

test.each((corpus.entries as CorpusEntry[]).map((entry) => [entry.id, entry.why, entry] as const))(
  "the corpus's %s (%s) is refused with 422 and stores nothing",
  async (_id, _why, entry) => {
    await using translator = await startTranslator(sqliteEngine);
    const { call, submit } = translator;
    await submit(agentYaml("kept"));
    for (const path of reader) {
      const { status, body } = await call("POST", path, { body: { yaml: textOf(entry) } });
      expect([status, typeof body.error, typeof body.message]).toEqual([422, "string", "string"]);
    }
    expect((await call("GET", "/v1/specs")).body).toEqual({ specs: [{ kind: "Agent", name: "kept" }] });
  },
);

onEachEngine("the routes", (engine) => {
  test("POST /v1/specs returns kind and name only; the same kind and name replaces; GET gives the text back", async () => {
    await using translator = await startTranslator(engine);
    const { call } = translator;
    for (const description of ["First.", "Second."]) {
      const yaml = agentYaml("one", description);
      const stored = await call("POST", "/v1/specs", { body: { yaml } });
      expect([stored.status, stored.body]).toEqual([200, { kind: "Agent", name: "one" }]);
      expect((await call("GET", "/v1/specs/Agent/one")).body).toEqual({ kind: "Agent", name: "one", yaml });
    }
    // An agent and a pipeline of one name are two specs.
    await call("POST", "/v1/specs", { body: { yaml: handbookYaml.replace("handbook}", "one}") } });
    expect((await call("GET", "/v1/specs")).body).toEqual({
      specs: [
        { kind: "Agent", name: "one" },
        { kind: "RAGPipeline", name: "one" },
      ],
    });
  });

  test("a refused manifest (422) leaves the stored one as it is", async () => {
    await using translator = await startTranslator(engine);
    const { call, submit } = translator;
    const path = await submit(agentYaml("one"));
    const refused = await call("POST", "/v1/specs", { body: { yaml: `${agentYaml("one")}extra: 1\n` } });
    expect(refused.status).toBe(422);
    expect((await call("GET", path)).body.yaml).toBe(agentYaml("one"));
  });

  test("POST /v1/translate returns kind, name, provider, resources and gaps, and neither stores nor reconciles", async () => {
    await using translator = await startTranslator(engine);
    const { call } = translator;
    const { status, body } = await call("POST", "/v1/translate", { body: { yaml: deskYaml } });
    expect([status, Object.keys(body).sort()]).toEqual([
      200,
      ["gaps", "kind", "name", "provider", "resources"],
    ]);
    for (const resource of body.resources) {
      expect(Object.keys(resource).sort()).toEqual(["config", "name", "resource_type", "source_section"]);
      expect(resource.resource_type).toMatch(/^[a-z0-9]+\.[a-z_]+$/);
    }
    for (const gap of body.gaps) {
      expect(Object.keys(gap).sort()).toEqual(["coverage", "detail", "section"]);
      expect(["emulated", "partial", "unsupported"]).toContain(gap.coverage);
    }
    expect((await call("GET", "/v1/specs")).body).toEqual({ specs: [] });
    expect((await call("GET", "/v1/accounts/local/resources")).body).toEqual({ resources: [] });
  });

  test("reconcile creates what is missing, updates what changed, deletes what is gone, and then changes nothing", async () => {
    await using translator = await startTranslator(engine);
    const { call, submit } = translator;
    await call("POST", `${await submit(handbookYaml)}/reconcile`);
    const path = await submit(deskYaml);
    const results = [];
    for (const yaml of [
      deskYaml,
      deskYaml,
      deskYaml.replace("two sentences", "three sentences"),
      deskYaml.replace("input: [{type: pii_detection, action: redact}]", "input: []"),
    ]) {
      await submit(yaml);
      const { status, body } = await call("POST", `${path}/reconcile`);
      expect([status, Object.keys(body).sort()]).toEqual([
        200,
        ["created", "deleted", "gaps", "kind", "name", "updated"],
      ]);
      for (const gap of body.gaps) expect(gap).toBeString();
      results.push([body.created, body.updated, body.deleted]);
    }
    expect(results).toEqual([
      [["help-desk-model-armor", "help-desk"], [], []],
      [[], [], []],
      [[], ["help-desk"], []],
      [[], ["help-desk"], ["help-desk-model-armor"]],
    ]);
  });

  test("a reference to what the account doesn't hold is 422, and nothing is applied", async () => {
    await using translator = await startTranslator(engine);
    const { call, submit } = translator;
    const path = await submit(deskYaml);
    for (const step of ["plan", "reconcile"]) {
      const { status, body } = await call("POST", `${path}/${step}`);
      expect([status, body.error]).toEqual([422, "unresolved_reference"]);
      expect(body.message).toContain("RAGPipeline/handbook");
    }
    expect((await call("GET", "/v1/accounts/local/resources")).body).toEqual({ resources: [] });
  });

  test("a stale plan is 409 after a new manifest, a change by hand, and an apply; each time nothing changes", async () => {
    await using translator = await startTranslator(engine);
    const { call, submit } = translator;
    const path = await submit(agentYaml("one"));
    const hashOf = async () => String((await call("POST", `${path}/plan`)).body.hash);
    const refusedWith = async (hash: string) => {
      const before = (await call("GET", "/v1/accounts/local/resources")).body;
      const { status, body } = await call("POST", `${path}/reconcile`, { headers: { "if-match": hash } });
      expect([status, body.error, typeof body.hint]).toEqual([409, "plan_stale", "string"]);
      expect((await call("GET", "/v1/accounts/local/resources")).body).toEqual(before);
    };
    const first = await hashOf();
    await submit(agentYaml("one", "New."));
    await refusedWith(first);
    const second = await hashOf();
    const applied = await call("POST", `${path}/reconcile`, { headers: { "if-match": `W/"${second}"` } });
    expect(applied.status).toBe(200);
    await refusedWith(second);
    const third = await hashOf();
    const [held] = (await call("GET", "/v1/accounts/local/resources")).body.resources;
    const edit = { set: { display_name: "By hand" } };
    await call("PATCH", `/v1/accounts/local/resources/${held.id}`, { body: edit });
    await refusedWith(third);
    await refusedWith("no-hash");
  });

  test("of two reconciles of one spec at once, the second is 409; another spec is not held up", async () => {
    const began = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    await using translator = await startTranslator(engine, (local) => {
      const create: LocalAccount["create"] = async (spec, resource) => {
        if (spec === "Agent/one") {
          began.resolve();
          await goOn.promise;
        }
        return LocalAccount.prototype.create.call(local, spec, resource);
      };
      return [Object.assign(local, { create })];
    });
    const { call, submit } = translator;
    const one = await submit(agentYaml("one"));
    const other = await submit(agentYaml("other"));
    const first = call("POST", `${one}/reconcile`);
    await began.promise;
    const second = await call("POST", `${one}/reconcile`);
    expect([second.status, second.body.error, second.headers.get("retry-after")]).toEqual([
      409,
      "reconcile_running",
      "1",
    ]);
    const removal = await call("DELETE", `${one}?cascade=true`);
    expect([removal.status, removal.body.error]).toEqual([409, "reconcile_running"]);
    expect((await call("POST", `${other}/reconcile`)).body.created).toEqual(["other"]);
    goOn.resolve();
    expect((await first).body.created).toEqual(["one"]);
    expect((await call("POST", `${one}/plan`)).body.changes).toEqual([]);
  });

  test("a spec that is deleted after a reconcile read it is 404 there, and nothing is created", async () => {
    const looking = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    await using translator = await startTranslator(engine, (local) => {
      const observe: LocalAccount["observe"] = async (spec) => {
        looking.resolve();
        await goOn.promise;
        return LocalAccount.prototype.observe.call(local, spec);
      };
      return [Object.assign(local, { observe })];
    });
    const { call, submit } = translator;
    const path = await submit(agentYaml("one"));
    const reconciled = call("POST", `${path}/reconcile`);
    await looking.promise;
    expect((await call("DELETE", path)).status).toBe(200);
    goOn.resolve();
    const { status, body } = await reconciled;
    expect([status, body.error]).toEqual([404, "spec_not_found"]);
    expect((await call("GET", "/v1/accounts/local/resources")).body).toEqual({ resources: [] });
  });

  test("a resource whose creation failed after it was made is held: delete is 409, and with cascade takes it along", async () => {
    await using translator = await startTranslator(engine, (local) => {
      const create: LocalAccount["create"] = async (spec, resource) => {
        await LocalAccount.prototype.create.call(local, spec, resource);
        throw new Error("the answer was lost");
      };
      return [Object.assign(local, { create })];
    });
    const { call, submit } = translator;
    const path = await submit(agentYaml("one"));
    expect((await call("POST", `${path}/reconcile`)).status).toBe(500);
    const refused = await call("DELETE", path);
    expect([refused.status, refused.body.error]).toEqual([409, "resources_held"]);
    expect((await call("DELETE", `${path}?cascade=true`)).body.deleted).toEqual(["one"]);
    expect((await call("GET", "/v1/accounts/local/resources")).body).toEqual({ resources: [] });
  });

  test("a failure in the middle says what was done, what failed, what was not tried, and what to do", async () => {
    await using translator = await startTranslator(engine);
    const { call, submit } = translator;
    await call("POST", `${await submit(handbookYaml)}/reconcile`);
    const path = await submit(deskYaml);
    await call("POST", "/v1/accounts/local/failures", {
      body: { action: "create", resource_type: "modelarmor.template", times: 1, message: "Out of quota." },
    });
    const { status, body } = await call("POST", `${path}/reconcile`);
    expect([status, body]).toMatchObject([
      502,
      {
        error: "account_failed",
        message: "Out of quota.",
        hint: expect.stringContaining("reconcile again"),
        created: [],
        failed: { action: "create", resource_type: "modelarmor.template", resource: "help-desk-model-armor" },
        not_tried: [{ action: "create", resource_type: "vertex.agent_engine", resource: "help-desk" }],
      },
    ]);
    expect((await call("POST", `${path}/reconcile`)).body.created).toHaveLength(2);
  });

  test("drift shows what was changed by hand, and a reconcile restores it", async () => {
    await using translator = await startTranslator(engine);
    const { call, submit } = translator;
    const path = await submit(agentYaml("one"));
    await call("POST", `${path}/reconcile`);
    const [held] = (await call("GET", "/v1/accounts/local/resources")).body.resources;
    const edit = { set: { description: "By hand." } };
    await call("PATCH", `/v1/accounts/local/resources/${held.id}`, { body: edit });
    expect((await call("GET", `${path}/drift`)).body).toMatchObject({
      drifted: true,
      changes: [
        { action: "update", fields: [{ path: "description", before: "By hand.", after: "An agent." }] },
      ],
    });
    expect((await call("POST", `${path}/reconcile`)).body.updated).toEqual(["one"]);
    expect((await call("GET", `${path}/drift`)).body.drifted).toBe(false);
  });
});

test.each([
  ["POST", "/v1/specs", 405, "GET, HEAD, POST, OPTIONS", "PUT"],
  ["POST", "/v1/translate", 405, "POST, OPTIONS", "GET"],
  ["GET", "/v1/specs/Agent/a", 405, "DELETE, GET, HEAD, OPTIONS", "POST"],
])("%s %s: another method is %d with Allow", async (_method, path, status, allow, other) => {
  await using translator = await startTranslator(sqliteEngine);
  const answer = await translator.call(other, path);
  expect([answer.status, answer.body.error]).toEqual([status, "method_not_allowed"]);
  expect(answer.headers.get("allow")?.split(", ").sort()).toEqual(allow.split(", ").sort());
});

test.each(["/v1/specs/", "/v1/translate/"])("a slash at the end is the same route: %s", async (path) => {
  await using translator = await startTranslator(sqliteEngine);
  expect((await translator.call("POST", path, { body: { yaml: agentYaml("a") } })).status).toBe(200);
});

test("a body above 1 MiB of manifest is 413, and a manifest of nearly 1 MiB is read", async () => {
  await using translator = await startTranslator(sqliteEngine);
  const answer = await translator.call("POST", "/v1/specs", { body: { yaml: "x".repeat(2_200_000) } });
  expect([answer.status, answer.body.error]).toEqual([413, "body_too_large"]);
});

test("a foreign page is 403, and a form 415", async () => {
  await using translator = await startTranslator(sqliteEngine);
  const body = JSON.stringify({ yaml: agentYaml("a") });
  const foreign = await translator.call("POST", "/v1/specs", {
    body,
    headers: { origin: "https://evil.example" },
  });
  expect(foreign.status).toBe(403);
  const form = await translator.call("POST", "/v1/specs", {
    body,
    headers: { "content-type": "text/plain", "sec-fetch-site": "same-origin" },
  });
  expect(form.status).toBe(415);
  expect((await translator.call("GET", "/v1/specs")).body).toEqual({ specs: [] });
});

test("the common routes answer", async () => {
  await using translator = await startTranslator(sqliteEngine);
  for (const path of ["/healthz", "/readyz", "/openapi.json", "/docs"])
    expect([path, (await fetch(`${translator.url}${path}`)).status]).toEqual([path, 200]);
});
