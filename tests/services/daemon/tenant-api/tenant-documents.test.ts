import { describe, expect, test } from "bun:test";
import type { TenantQuota } from "../../../../src/contracts/runtime/documents.ts";
import { type AppError, toAppError } from "../../../../src/kit/app-error.ts";
import {
  runtimeToken,
  startTenantRuntime,
  type TenantRuntime,
  tenantA,
  tenantB,
  transports,
} from "../../../support/tenant-runtime.ts";

const unlimited: TenantQuota = { collections_max: null, documents_max: null };

interface PutChange {
  quota?: TenantQuota;
  contentType?: string;
  metadata?: string;
  signal?: AbortSignal;
}

function put(
  { client }: TenantRuntime,
  tenant: string,
  [collection, id]: [string, string],
  text: string,
  { quota = unlimited, contentType = "text/plain", metadata, signal }: PutChange = {},
) {
  const bytes = new TextEncoder().encode(text);
  const file = { bytes, contentType, metadata };
  const sent = { file, quota, signal: signal ?? new AbortController().signal };
  return client.documents.putDocument(tenant, { collection, id }, sent);
}

async function textsOf({ client }: TenantRuntime, tenant: string, collection: string, query: string) {
  const { results } = await client.documents.query(
    tenant,
    { collection, query },
    { signal: new AbortController().signal },
  );
  return results.map(({ text }) => text);
}

const refusalOf = async (work: Promise<unknown>) => {
  const thrown = await work.then(
    () => undefined,
    (reason) => reason,
  );
  if (thrown === undefined) throw new Error("nothing was thrown");
  const { code, status } = toAppError(thrown);
  return `${status} ${code}`;
};

/** What the model was told in its last call. */
const told = (runtime: TenantRuntime) => JSON.stringify(runtime.lab.requests.at(-1)?.body.messages);

describe.each(transports)("documents of tenants %s", (transport) => {
  test("are stored, listed, read, found, replaced and deleted", async () => {
    await using runtime = await startTenantRuntime({ transport });
    const { documents } = runtime.client;
    const place = { collection: "handbook", id: "menu/tea.txt" };
    expect(
      await put(runtime, tenantA, ["handbook", "menu/tea.txt"], "Tea costs three euros.", {
        metadata: '{"lang":"en"}',
      }),
    ).toEqual({
      collection: "handbook",
      id: "menu/tea.txt",
      status: "created",
      chunks: 1,
      characters: 22,
    });
    expect(await documents.collections(tenantA)).toMatchObject({
      collections: [{ name: "handbook", documents: 1, chunks: 1, status: "ready" }],
    });
    expect(await documents.document(tenantA, place)).toMatchObject({
      id: "menu/tea.txt",
      metadata: { lang: "en" },
    });
    expect((await documents.documents(tenantA, "handbook", {})).documents).toHaveLength(1);
    expect((await documents.chunks(tenantA, place, {})).chunks.map(({ text }) => text)).toEqual([
      "Tea costs three euros.",
    ]);
    expect(await textsOf(runtime, tenantA, "handbook", "tea")).toEqual(["Tea costs three euros."]);
    expect(await put(runtime, tenantA, ["handbook", "menu/tea.txt"], "Tea costs four.")).toMatchObject({
      status: "replaced",
    });
    expect(await textsOf(runtime, tenantA, "handbook", "tea")).toEqual(["Tea costs four."]);
    await documents.deleteDocument(tenantA, place);
    expect(await refusalOf(documents.document(tenantA, place))).toBe("404 document_not_found");
    expect(await textsOf(runtime, tenantA, "handbook", "tea")).toEqual([]);
    expect(await documents.deleteCollection(tenantA, "handbook")).toMatchObject({ documents: 0 });
    expect(await refusalOf(documents.collection(tenantA, "handbook"))).toBe("404 collection_not_found");
  });

  test("of one name are another tenant's, and never the operator's", async () => {
    await using runtime = await startTenantRuntime({
      transport,
      files: { "rag/handbook.rag.yaml": pipelineOf("handbook") },
    });
    await fetch(`${runtime.url}/v1/rag/ingest`, {
      method: "POST",
      body: JSON.stringify({ collection: "handbook", documents: [{ text: "salaries are operator plums" }] }),
    });
    await put(runtime, tenantA, ["handbook", "a"], "salaries are secret apples");
    await put(runtime, tenantB, ["handbook", "a"], "salaries are secret pears");
    expect(await textsOf(runtime, tenantA, "handbook", "salaries")).toEqual(["salaries are secret apples"]);
    expect(await textsOf(runtime, tenantB, "handbook", "salaries")).toEqual(["salaries are secret pears"]);
    const operators = await fetch(`${runtime.url}/v1/rag/query`, {
      method: "POST",
      body: JSON.stringify({ collection: "handbook", query: "salaries" }),
    });
    expect(await operators.text()).not.toContain("secret");
    // Nothing is said of the operator's pipeline of that name, and the operator's list has one collection of its own.
    expect((await runtime.client.documents.collection(tenantA, "handbook")).pipelines).toEqual([]);
    const listed = await (await fetch(`${runtime.url}/v1/rag/collections`)).json();
    expect(listed).toMatchObject({ collections: [{ name: "handbook", documents: 1 }] });
    await runtime.client.documents.deleteCollection(tenantA, "handbook");
    expect(await textsOf(runtime, tenantB, "handbook", "salaries")).toEqual(["salaries are secret pears"]);
  });

  test("are found by the `rag` tools of the tenant's agents alone, also of one that another asks", async () => {
    const asks = (name: string) => ({ toolCalls: [{ name, arguments: { query: "what does tea cost?" } }] });
    await using runtime = await startTenantRuntime({
      transport,
      script: [asks("docs"), { text: "done" }],
    });
    await put(runtime, tenantA, ["handbook", "tea"], "Tea costs three euros.");
    const spec = { tools: [{ name: "docs", type: "rag", config: { collection: "handbook" } }] };
    const ofA = await runtime.register(spec, { tenant: tenantA, id: "a" });
    const ofB = await runtime.register(spec, { tenant: tenantB, id: "b" });
    await runtime.run(ofA);
    expect(told(runtime)).toContain("Tea costs three euros.");
    const { frames } = await runtime.run(ofB);
    expect(told(runtime)).not.toContain("three euros");
    expect(JSON.stringify(frames)).not.toContain("three euros");
  });

  test.each([
    ["a slash", "hand/book"],
    ["a way up", ".."],
    ["a leading dot", ".handbook"],
    ["a letter that only looks alike", "hаndbook"],
    ["an accent in two characters", "hándbook".normalize("NFD")],
    ["a full-width letter", "ｈandbook"],
    ["a colon", `${tenantB}:handbook`],
    ["a NUL", "handbook\0"],
    ["64 characters", "h".repeat(64)],
    ["a space at the end", "handbook "],
  ])("are refused under a name with %s", async (_, name) => {
    await using runtime = await startTenantRuntime({ transport });
    await put(runtime, tenantB, ["handbook", "a"], "salaries are secret pears");
    expect(await refusalOf(put(runtime, tenantA, [name, "a"], "x"))).toMatch(/^40[04] /);
    expect(await refusalOf(textsOf(runtime, tenantA, name, "salaries"))).toMatch(/^40[04] /);
    expect(await runtime.client.documents.collections(tenantA)).toEqual({ collections: [] });
  });

  test.each([
    ["another tenant's agent prefix", `t_${tenantB}__handbook`],
    ["another tenant's id", `${tenantB}.handbook`],
    ["the operator's tenant", "operator.handbook"],
    ["capitals", "HANDBOOK"],
    ["the kind of a store's table", "rag-handbook"],
  ])("under a name that has %s are the tenant's own and empty", async (_, name) => {
    await using runtime = await startTenantRuntime({ transport });
    await put(runtime, tenantB, ["handbook", "a"], "salaries are secret pears");
    expect(await refusalOf(textsOf(runtime, tenantA, name, "salaries"))).toBe("404 collection_not_found");
    await put(runtime, tenantA, [name, "a"], "salaries are apples");
    await put(runtime, tenantA, ["handbook", "a"], "salaries are plums");
    expect(await textsOf(runtime, tenantA, name, "salaries")).toEqual(["salaries are apples"]);
    expect(await textsOf(runtime, tenantB, "handbook", "salaries")).toEqual(["salaries are secret pears"]);
  });

  test.each(["operator", "", "a/b", "a__b", "..", `${tenantB} `])(
    "belong to no tenant called %p",
    async (tenant) => {
      await using runtime = await startTenantRuntime({ transport });
      expect(await refusalOf(put(runtime, tenant, ["handbook", "a"], "x"))).toMatch(/^(40[045]|502) /);
      expect(await refusalOf(runtime.client.documents.collection(tenant, "handbook"))).toMatch(
        /^(40[045]|502) /,
      );
      expect(await runtime.client.documents.tenants()).toEqual({ tenants: [] });
    },
  );

  test("are all deleted when the tenant is forgotten, and no other's", async () => {
    await using runtime = await startTenantRuntime({ transport });
    const { documents } = runtime.client;
    await put(runtime, tenantA, ["one", "a"], "salaries are apples");
    await put(runtime, tenantA, ["two", "a"], "salaries are apples");
    await put(runtime, tenantB, ["one", "a"], "salaries are pears");
    expect(await documents.tenants()).toEqual({ tenants: [tenantA, tenantB] });
    await documents.forget(tenantA);
    await documents.forget(tenantA);
    expect(await documents.tenants()).toEqual({ tenants: [tenantB] });
    expect(await documents.tenants(tenantB)).toEqual({ tenants: [] });
    expect(await documents.collections(tenantA)).toEqual({ collections: [] });
    expect(await textsOf(runtime, tenantB, "one", "salaries")).toEqual(["salaries are pears"]);
  });
});

const pipelineOf = (name: string) =>
  JSON.stringify({ apiVersion: "platform/v1", kind: "RAGPipeline", metadata: { name }, spec: {} });

describe("a quota", () => {
  const quota = { collections_max: 2, documents_max: 3 };

  test("bounds documents over all collections; replacing one needs no room", async () => {
    await using runtime = await startTenantRuntime();
    await put(runtime, tenantB, ["one", "other"], "not counted", { quota });
    for (const id of ["a", "b", "c"]) await put(runtime, tenantA, ["one", id], `text ${id}`, { quota });
    expect(await refusalOf(put(runtime, tenantA, ["two", "d"], "text d", { quota }))).toBe(
      "409 document_limit_reached",
    );
    // What was refused has made no collection.
    expect((await runtime.client.documents.collections(tenantA)).collections).toHaveLength(1);
    expect(await put(runtime, tenantA, ["one", "a"], "text a, again", { quota })).toMatchObject({
      status: "replaced",
    });
    await runtime.client.documents.deleteDocument(tenantA, { collection: "one", id: "b" });
    expect(await put(runtime, tenantA, ["two", "d"], "text d", { quota })).toMatchObject({
      status: "created",
    });
  });

  test("bounds collections", async () => {
    await using runtime = await startTenantRuntime();
    const { documents } = runtime.client;
    await documents.makeCollection(tenantA, "one", quota);
    expect(await documents.makeCollection(tenantA, "one", quota)).toMatchObject({ documents: 0 });
    await put(runtime, tenantA, ["two", "a"], "text", { quota });
    expect(await refusalOf(documents.makeCollection(tenantA, "three", quota))).toBe(
      "409 collection_limit_reached",
    );
    expect(await refusalOf(put(runtime, tenantA, ["three", "a"], "text", { quota }))).toBe(
      "409 collection_limit_reached",
    );
    expect((await documents.collections(tenantA)).collections.map(({ name }) => name)).toEqual([
      "one",
      "two",
    ]);
  });

  test("holds for documents that are put at once", async () => {
    await using runtime = await startTenantRuntime();
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        put(runtime, tenantA, ["one", `d${at}`], `text ${at}`, { quota }).then(
          ({ status }) => status as string,
          (thrown) => (thrown as AppError).code,
        ),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === "created")).toHaveLength(3);
    expect(outcomes.filter((outcome) => outcome === "document_limit_reached")).toHaveLength(5);
    expect((await runtime.client.documents.collection(tenantA, "one")).documents).toBe(3);
  });

  test("of 0 lets a tenant keep nothing", async () => {
    await using runtime = await startTenantRuntime();
    const none = { collections_max: 2, documents_max: 0 };
    expect(await refusalOf(put(runtime, tenantA, ["one", "a"], "text", { quota: none }))).toBe(
      "409 document_limit_reached",
    );
  });
});

test.each([
  ["metadata that is not an object", { metadata: "[1]" }, "400 invalid_request"],
  ["metadata that is not JSON", { metadata: "{" }, "400 invalid_request"],
  ["a form", { contentType: "multipart/form-data; boundary=x" }, "415 unsupported_media_type"],
  ["a picture", { contentType: "image/png" }, "415 unsupported_media_type"],
  ["a file that is not a PDF", { contentType: "application/pdf" }, "422 document_unreadable"],
])("a document with %s is refused, and nothing is made", async (_, change, refusal) => {
  await using runtime = await startTenantRuntime();
  expect(await refusalOf(put(runtime, tenantA, ["one", "a"], "text", change))).toBe(refusal);
  expect(await runtime.client.documents.collections(tenantA)).toEqual({ collections: [] });
});

test("the routes are 401 without the runtime's token", async () => {
  await using runtime = await startTenantRuntime({ transport: "over the network" });
  const base = `${runtime.url}/v1/internal/documents`;
  const document = `${base}/${tenantA}/collections/handbook/documents/a`;
  const asked = [
    ["GET", base],
    ["DELETE", `${base}/${tenantA}`],
    ["GET", `${base}/${tenantA}/collections`],
    ["PUT", `${base}/${tenantA}/collections/handbook`],
    ["PUT", document],
    ["GET", document],
    ["POST", `${base}/${tenantA}/query`],
  ] as const;
  for (const [method, url] of asked) {
    for (const headers of [{}, { authorization: `Bearer ${runtimeToken}x` }]) {
      const body = method === "GET" || method === "DELETE" ? undefined : "{}";
      expect((await fetch(url, { method, headers, ...(body && { body }) })).status).toBe(401);
    }
  }
  expect(await runtime.client.documents.tenants()).toEqual({ tenants: [] });
});

test("the routes are 404 where no token is configured", async () => {
  await using runtime = await startTenantRuntime();
  expect((await fetch(`${runtime.url}/v1/internal/documents`)).status).toBe(404);
});
