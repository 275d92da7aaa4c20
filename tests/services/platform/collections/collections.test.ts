import { expect, test } from "bun:test";
import { AppError } from "../../../../src/kit/app-error.ts";
import { sweepDocuments } from "../../../../src/services/platform/collections/forget-documents.ts";
import { uploadsAtOnce } from "../../../../src/services/platform/collections/put-document.ts";
import { searchesMax } from "../../../../src/services/platform/tenants/management-limit.ts";
import { planInput } from "../../../conformance/platform/route-row.ts";
import { asOperator, startPlatform, type TestPlatform, type TestTenant } from "../../../support/platform.ts";
import { platformWithAgent } from "../../../support/platform-agent.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const base = "/api/v1/collections";
const tea = `${base}/handbook/documents/tea.txt`;
const text = { "content-type": "text/plain" };

const put = (platform: TestPlatform, { asProgram }: TestTenant, body: string, path = tea) =>
  platform.call("PUT", path, { headers: { ...asProgram, ...text }, body });

onEachEngine("a tenant's documents", (engine) => {
  test("are put, listed, found and deleted, by a program and by a person; then they are 404", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    for (const headers of [owner.asProgram, owner.asPerson]) {
      const ask = (method: string, path: string, body?: unknown) =>
        platform.call(method, path, { headers: { ...headers, ...(body === undefined ? {} : text) }, body });
      expect(await ask("PUT", tea, "Tea costs 3 euros.")).toMatchObject({
        status: 200,
        body: { collection: "handbook", id: "tea.txt", status: "created", chunks: 1 },
      });
      expect(await ask("GET", base)).toMatchObject({
        status: 200,
        body: {
          collections: [{ name: "handbook", documents: 1, chunks: 1, status: "ready" }],
          documents: 1,
          limits: { collections_max: 100, documents_max: 1000, document_bytes_max: 8_388_608 },
        },
      });
      expect(await ask("GET", `${base}/handbook`)).toMatchObject({ body: { documents: 1 } });
      expect(await ask("GET", `${base}/handbook/documents`)).toMatchObject({
        body: { documents: [{ id: "tea.txt" }] },
      });
      expect(await ask("GET", tea)).toMatchObject({ body: { id: "tea.txt", chunks: 1 } });
      expect(await ask("GET", `${tea}/chunks`)).toMatchObject({
        body: { chunks: [{ text: "Tea costs 3 euros." }] },
      });
      const found = await platform.call("POST", `${base}/handbook/query`, {
        headers: { ...headers, "content-type": "application/json" },
        body: { query: "costs" },
      });
      expect(found).toMatchObject({
        status: 200,
        body: { results: [{ text: "Tea costs 3 euros.", citation: { document_id: "tea.txt" } }] },
      });
      expect((await ask("DELETE", tea)).status).toBe(204);
      expect(await ask("GET", tea)).toMatchObject({ status: 404, body: { error: "document_not_found" } });
      expect(await ask("PUT", `${base}/letters`)).toMatchObject({ status: 200, body: { documents: 0 } });
      expect((await ask("DELETE", `${base}/letters`)).status).toBe(204);
      expect((await ask("DELETE", `${base}/handbook`)).status).toBe(204);
      const gone = await ask("GET", `${base}/handbook`);
      expect(gone).toMatchObject({ status: 404, body: { error: "collection_not_found" } });
      expect(gone.body.hint).toContain("/api/v1/collections/");
    }
    // What is the operator's is not shown.
    await put(platform, owner, "x");
    expect((await platform.call("GET", base, { headers: owner.asProgram })).text).not.toMatch(
      /lancedb|local_hash/,
    );
  });

  test("may have as many bytes as the plan says: 413 names the limit and the value", async () => {
    const spec = { unidades: {}, features: { document_bytes_max: 10, documents_max: 1 } };
    await using platform = await platformWithAgent(engine, { plan: { spec } });
    const { owner, runtime } = platform;
    expect((await put(platform, owner, "x".repeat(10))).status).toBe(200);
    expect(await put(platform, owner, "x".repeat(11))).toMatchObject({
      status: 413,
      body: {
        error: "document_too_large",
        message: "The document has 11 bytes; the plan allows 10 (document_bytes_max).",
      },
    });
    // Of unknown length.
    const chunks = new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode("xxxxxx"));
      },
    });
    const answer = await fetch(`${platform.url}${tea}`, {
      method: "PUT",
      headers: { ...owner.asProgram, ...text },
      body: chunks,
    });
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({
      error: "document_too_large",
      message: "The document has more than 10 bytes; the plan allows 10 (document_bytes_max).",
    });
    expect(await put(platform, owner, "x", `${base}/handbook/documents/two`)).toMatchObject({
      status: 409,
      body: { error: "document_limit_reached", documents_max: 1 },
    });
    const kept = runtime.documents.kept.get(owner.id)?.get("handbook");
    expect([...(kept ?? [])]).toEqual([["tea.txt", "x".repeat(10)]]);
  });

  test.each([
    [
      "a name that no collection has is 400",
      "PUT",
      `${base}/.hidden/documents/a`,
      text,
      "x",
      400,
      "invalid_request",
    ],
    ["no file is 400", "PUT", tea, text, undefined, 400, "invalid_request"],
    ["a form is 415", "PUT", tea, { "content-type": "multipart/form-data; boundary=x" }, "x", 415, undefined],
    ["an encoded body is 415", "PUT", tea, { ...text, "content-encoding": "gzip" }, "x", 415, undefined],
    [
      "a name that is too long is 400",
      "PUT",
      `${tea}?name=${"n".repeat(1025)}`,
      text,
      "x",
      400,
      "invalid_request",
    ],
    [
      "a blank page is 400",
      "GET",
      `${base}/handbook/documents?limit=0`,
      {},
      undefined,
      400,
      "invalid_request",
    ],
    ["a query without a question is 400", "POST", `${base}/handbook/query`, {}, "{}", 400, "invalid_request"],
    [
      "too many passages is 400",
      "POST",
      `${base}/handbook/query`,
      {},
      '{"query":"x","top_k":101}',
      400,
      undefined,
    ],
    ["another method is 405", "PATCH", `${base}/handbook`, {}, undefined, 405, "method_not_allowed"],
  ])("%s, in words", async (_, method, path, headers, body, status, code) => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    const answer = await platform.call(method, path, { headers: { ...owner.asProgram, ...headers }, body });
    expect(answer).toMatchObject({ status, body: { error: code ?? expect.any(String) } });
    expect(platform.runtime.documents.kept.size).toBe(0);
  });

  test.each([
    [
      "can't be reached",
      new AppError("upstream_failed", "runtime_unreachable", "No."),
      "documents_unavailable",
    ],
    ["has no place for it", new AppError("unavailable", "too_busy", "Too many."), "too_busy"],
    [
      "has its vectors elsewhere",
      new AppError("unavailable", "vectors_elsewhere", "The store /srv/operator is another."),
      "documents_unavailable",
    ],
    [
      "needs the operator",
      new AppError("conflict", "reindex_needed", "argosy rag reindex"),
      "documents_unavailable",
    ],
    [
      "is of a version without documents",
      new AppError("not_found", "not_found", "No."),
      "documents_unavailable",
    ],
    ["breaks", new Error("secret of the operator"), "documents_unavailable"],
  ])("a runtime that %s is 503 on every route", async (_, thrown, code) => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    platform.runtime.documents.before = () => {
      throw thrown;
    };
    const asked = [
      ["GET", base],
      ["GET", `${base}/handbook`],
      ["PUT", `${base}/handbook`],
      ["DELETE", `${base}/handbook`],
      ["GET", `${base}/handbook/documents`],
      ["GET", tea],
      ["GET", `${tea}/chunks`],
      ["DELETE", tea],
      ["PUT", tea, "x"],
      ["POST", `${base}/handbook/query`, '{"query":"x"}'],
    ] as const;
    for (const [method, path, body] of asked) {
      const answer = await platform.call(method, path, { headers: owner.asProgram, body });
      expect([method, path, answer]).toMatchObject([method, path, { status: 503, body: { error: code } }]);
      expect(answer.text).not.toMatch(/operator[^.]|\/srv|secret|argosy/);
    }
  });

  test("more than so many at once are 429, and each tenant's alone count", async () => {
    await using platform = await startPlatform(engine);
    const [owner, other] = [await platform.tenant(), await platform.tenant()];
    const arrived = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    let waiting = 0;
    platform.runtime.documents.before = () => {
      if (++waiting === uploadsAtOnce) arrived.resolve();
      return waiting <= uploadsAtOnce ? released.promise : undefined;
    };
    const first = Array.from({ length: uploadsAtOnce }, (_, at) =>
      put(platform, owner, "x", `${base}/handbook/documents/${at}`),
    );
    await arrived.promise;
    const refused = await put(platform, owner, "x");
    expect(refused).toMatchObject({ status: 429, body: { error: "rate_limited" } });
    expect(refused.headers.get("retry-after")).toBe("2");
    expect((await put(platform, other, "x")).status).toBe(200);
    released.resolve();
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual(first.map(() => 200));
    expect((await put(platform, owner, "x")).status).toBe(200);
  });

  test("are 429 after so many searches a minute, which use up no changes", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    await put(platform, owner, "Tea costs 3 euros.");
    const search = () =>
      platform.call("POST", `${base}/handbook/query`, { headers: owner.asProgram, body: { query: "x" } });
    for (let at = 0; at < searchesMax; at++) expect((await search()).status).toBe(200);
    expect(await search()).toMatchObject({
      status: 429,
      body: { error: "rate_limited", message: `At most ${searchesMax} searches are allowed per minute.` },
    });
    expect((await put(platform, owner, "x")).status).toBe(200);
    await platform.clock.advance(60_000);
    expect((await search()).status).toBe(200);
  });
});

onEachEngine("documents of a deleted tenant", (engine) => {
  test("are deleted with it, and its key is 401", async () => {
    await using platform = await startPlatform(engine);
    const [owner, other] = [await platform.tenant(), await platform.tenant()];
    await put(platform, owner, "x");
    await put(platform, other, "y");
    const { documents } = platform.runtime;
    expect(
      (await platform.call("DELETE", `/api/v1/tenants/${owner.id}`, { headers: owner.asPerson })).status,
    ).toBe(204);
    expect([...documents.kept.keys()]).toEqual([other.id]);
    expect((await put(platform, owner, "x")).status).toBe(401);
  });

  test("are swept when the runtime was away, and those of other tenants stay", async () => {
    await using platform = await startPlatform(engine);
    const [owner, other] = [await platform.tenant(), await platform.tenant()];
    for (const tenant of [owner, other]) await put(platform, tenant, "x");
    const { documents } = platform.runtime;
    // Of a platform that shares the runtime.
    documents.kept.set("019a0000-0000-7000-8000-0000000000ff", new Map());
    documents.before = () => {
      throw new AppError("upstream_failed", "runtime_unreachable", "No.");
    };
    await platform.call("DELETE", `/api/v1/tenants/${owner.id}`, { headers: owner.asPerson });
    expect(await sweepDocuments(platform.deps)).toBe(0);
    expect(documents.kept.size).toBe(3);
    documents.before = () => {};
    expect(await sweepDocuments(platform.deps)).toBe(1);
    expect(documents.forgotten).toEqual([owner.id]);
    expect([...documents.kept.keys()].sort()).toEqual(
      ["019a0000-0000-7000-8000-0000000000ff", other.id].sort(),
    );
  });
});

onEachEngine("a plan's features", (engine) => {
  test.each([
    ["documents_max", "many"],
    ["documents_max", -1],
    ["documents_max", 1.5],
    ["document_bytes_max", 67_108_865],
    ["document_bytes_max", true],
  ])("%s of %p is 400", async (name, value) => {
    await using platform = await startPlatform(engine);
    const body = { ...planInput("p"), spec: { unidades: {}, features: { [name]: value } } };
    expect(await platform.call("POST", "/api/v1/admin/plans", { headers: asOperator, body })).toMatchObject({
      status: 400,
      body: { problems: [{ path: `spec.features.${name}` }] },
    });
  });

  test("null means no limit, and other features are the callers' own", async () => {
    await using platform = await startPlatform(engine);
    const features = { documents_max: null, document_bytes_max: null, colour: "blue" };
    const body = { ...planInput("p"), spec: { unidades: {}, features } };
    expect((await platform.call("POST", "/api/v1/admin/plans", { headers: asOperator, body })).status).toBe(
      201,
    );
    const owner = await platform.tenant();
    await platform.call("PUT", `/api/v1/admin/tenants/${owner.id}/plan`, {
      headers: asOperator,
      body: { plan_id: "p" },
    });
    expect((await platform.call("GET", base, { headers: owner.asProgram })).body.limits).toEqual({
      collections_max: 100,
      documents_max: null,
      document_bytes_max: null,
    });
  });
});
