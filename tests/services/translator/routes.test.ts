import { expect, test } from "bun:test";
import { batches } from "../../../src/kit/batches.ts";
import { onEachEngine, sqliteEngine } from "../../support/storage-engines.ts";
import { agentYaml, deskYaml, handbookYaml, startTranslator } from "../../support/translator.ts";

onEachEngine("specs", (engine) => {
  test("are stored by kind and name, replaced, listed and given back as sent", async () => {
    await using translator = await startTranslator(engine);
    const { call } = translator;
    expect((await call("POST", "/v1/specs", { body: { yaml: handbookYaml } })).body).toEqual({
      kind: "RAGPipeline",
      name: "handbook",
    });
    for (const description of ["One.", "Two."])
      await call("POST", "/v1/specs", { body: { yaml: agentYaml("a", description) } });
    expect((await call("GET", "/v1/specs")).body).toEqual({
      specs: [
        { kind: "Agent", name: "a" },
        { kind: "RAGPipeline", name: "handbook" },
      ],
    });
    const yaml = agentYaml("a", "Two.");
    expect((await call("GET", "/v1/specs/Agent/a")).body).toEqual({ kind: "Agent", name: "a", yaml });
  });

  test("are listed page by page, each once and in order", async () => {
    await using translator = await startTranslator(engine);
    const { call } = translator;
    const names = ["a", "a-b", "a1", "ab", "b"];
    for (const name of names) await call("POST", "/v1/specs", { body: { yaml: agentYaml(name) } });
    await call("POST", "/v1/specs", { body: { yaml: handbookYaml } });
    const whole = (await call("GET", "/v1/specs")).body.specs;
    expect(whole.map(({ name }: { name: string }) => name).sort()).toEqual([...names, "handbook"].sort());
    for (const limit of [1, 2, 5, 6]) {
      const pages: unknown[][] = [];
      for (let next: string | undefined = ""; next !== undefined; ) {
        const after: string = next === "" ? "" : `&cursor=${next}`;
        const { body } = await call("GET", `/v1/specs?limit=${limit}${after}`);
        pages.push(body.specs);
        next = body.next_cursor;
      }
      expect(pages.flat()).toEqual(whole);
      expect(pages.map((page) => page.length).slice(0, -1)).toEqual(pages.slice(1).map(() => limit));
    }
  });

  test("are listed whole without a limit, up to 10,000", async () => {
    await using translator = await startTranslator(engine);
    const { storage, clock } = translator.deps;
    const rows = Array.from({ length: 10_001 }, (_, number) => ({
      kind: "Agent",
      name: `a${String(number).padStart(5, "0")}`,
      yaml: "kind: Agent",
      submittedAt: clock.now(),
    }));
    for (const some of batches(rows, 500))
      await storage.transact((tx) => tx.insert(storage.tables.specs).values(some));
    const { specs, next_cursor } = (await translator.call("GET", "/v1/specs")).body;
    expect([specs.length, specs.at(-1).name]).toEqual([10_000, "a09999"]);
    const rest = await translator.call("GET", `/v1/specs?cursor=${next_cursor}`);
    expect(rest.body).toEqual({ specs: [{ kind: "Agent", name: "a10000" }] });
    expect((await translator.call("GET", "/v1/specs?limit=99999")).body.specs).toHaveLength(10_000);
  });

  test.each([
    "nonsense",
    Buffer.from('["Agent"]').toString("base64url"),
    Buffer.from('["Robot","a"]').toString("base64url"),
    Buffer.from('["Agent",7]').toString("base64url"),
    Buffer.from('["Agent","a","b"]').toString("base64url"),
    Buffer.from(JSON.stringify(["Agent", "a\0"])).toString("base64url"),
    Buffer.from(String.raw`["Agent","\ud800"]`).toString("base64url"),
  ])("a cursor of no page is 400: %s", async (cursor) => {
    await using translator = await startTranslator(engine);
    const { status, body } = await translator.call("GET", `/v1/specs?cursor=${cursor}`);
    expect([status, body.error]).toEqual([400, "invalid_request"]);
  });
});

test("translate stores nothing", async () => {
  await using translator = await startTranslator(sqliteEngine);
  const { status, body } = await translator.call("POST", "/v1/translate", { body: { yaml: deskYaml } });
  expect([status, body.kind, body.provider, body.resources.length]).toEqual([200, "Agent", "gcp", 2]);
  expect((await translator.call("GET", "/v1/specs")).body).toEqual({ specs: [] });
});

test("the coverage matrix has every section of both kinds", async () => {
  await using translator = await startTranslator(sqliteEngine);
  const { body } = await translator.call("GET", "/v1/coverage");
  expect(body.sections).toContainEqual({
    kind: "Agent",
    section: "tools.client",
    coverage: "supported",
    resources: [],
    detail: "",
  });
  expect(new Set(body.sections.map(({ kind }: { kind: string }) => kind))).toEqual(
    new Set(["Agent", "RAGPipeline"]),
  );
});

const noKind = "apiVersion: platform/v1\nmetadata: {name: a}\n";
const unknownKey = `${agentYaml("a").trimEnd()}\n  oops: 1\n`;

test.each([
  [400, "invalid_request", "POST", "/v1/specs", {}],
  [400, "invalid_request", "POST", "/v1/specs", { yaml: 7 }],
  [422, "invalid_manifest", "POST", "/v1/specs", { yaml: "a: [" }],
  [422, "invalid_manifest", "POST", "/v1/specs", { yaml: noKind }],
  [422, "unknown_kind", "POST", "/v1/specs", { yaml: noKind.replace("metadata", "kind: Robot\nmetadata") }],
  [422, "invalid_manifest", "POST", "/v1/translate", { yaml: unknownKey }],
  [422, "invalid_manifest", "POST", "/v1/translate", { yaml: "kind: Agent" }],
  [422, "unknown_provider", "POST", "/v1/translate?provider=moon", { yaml: agentYaml("a") }],
  [422, "unknown_provider", "GET", "/v1/coverage?provider=moon", undefined],
  [404, "spec_not_found", "GET", "/v1/specs/Agent/none", undefined],
  [404, "spec_not_found", "GET", "/v1/specs/Robot/none", undefined],
  [404, "spec_not_found", "POST", "/v1/specs/Agent/none/reconcile", undefined],
  [404, "spec_not_found", "POST", "/v1/specs/Agent/none/plan", undefined],
  [404, "spec_not_found", "GET", "/v1/specs/Agent/none/drift", undefined],
  [404, "spec_not_found", "DELETE", "/v1/specs/Agent/none", undefined],
  [422, "unknown_kind", "POST", "/v1/specs/Robot/none/reconcile", undefined],
  [422, "unknown_kind", "POST", "/v1/specs/Robot/none/plan", undefined],
])("%d %s: %s %s", async (status, error, method, path, body) => {
  await using translator = await startTranslator(sqliteEngine);
  const answer = await translator.call(method, path, { body });
  expect([answer.status, answer.body.error]).toEqual([status, error]);
});

test("faults of a manifest have line and column", async () => {
  await using translator = await startTranslator(sqliteEngine);
  const { body } = await translator.call("POST", "/v1/specs", { body: { yaml: unknownKey } });
  expect(body.problems[0]).toMatchObject({ line: expect.any(Number), column: expect.any(Number) });
});

test.each([
  [404, "account_not_found", "account=far"],
  [404, "account_not_found", "provider=aws"],
  [404, "account_not_found", "provider=aws&account=local"],
  [422, "unknown_provider", "provider=moon"],
])("%d %s for a reconcile with %s", async (status, error, query) => {
  await using translator = await startTranslator(sqliteEngine);
  const spec = await translator.submit(agentYaml("a"));
  const answer = await translator.call("POST", `${spec}/reconcile?${query}`);
  expect([answer.status, answer.body.error]).toEqual([status, error]);
});
