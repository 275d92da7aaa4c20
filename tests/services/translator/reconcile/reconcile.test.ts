import { describe, expect, test } from "bun:test";
import { AppError } from "../../../../src/kit/app-error.ts";
import { Accounts } from "../../../../src/services/translator/accounts/accounts.ts";
import { LocalAccount } from "../../../../src/services/translator/accounts/local/local-account.ts";
import { openReconciles } from "../../../../src/services/translator/reconcile/applied-store.ts";
import { resumeReconciles } from "../../../../src/services/translator/workers.ts";
import { onEachEngine, type TestEngine } from "../../../support/storage-engines.ts";
import { agentYaml, deskYaml, handbookYaml, startTranslator } from "../../../support/translator.ts";

onEachEngine("reconcile", (engine: TestEngine) => {
  test("creates what is missing, changes nothing the second time, updates, and deletes what is no longer produced", async () => {
    await using translator = await startTranslator(engine);
    const { call, submit } = translator;
    const handbook = await submit(handbookYaml);
    const desk = await submit(deskYaml);
    expect((await call("POST", `${handbook}/reconcile`)).body).toEqual({
      kind: "RAGPipeline",
      name: "handbook",
      created: ["handbook-corpus"],
      updated: [],
      deleted: [],
      gaps: [],
    });
    const first = await call("POST", `${desk}/reconcile`);
    expect(first.body).toMatchObject({
      created: ["help-desk-model-armor", "help-desk"],
      updated: [],
      deleted: [],
    });
    expect(first.body.gaps).toHaveLength(7);
    expect((await call("POST", `${desk}/reconcile`)).body).toMatchObject({
      created: [],
      updated: [],
      deleted: [],
    });

    await submit(deskYaml.replace("two sentences", "three sentences"));
    expect((await call("POST", `${desk}/reconcile`)).body).toMatchObject({
      updated: ["help-desk"],
      deleted: [],
    });

    await submit(deskYaml.replace("input: [{type: pii_detection, action: redact}]", "input: []"));
    expect((await call("POST", `${desk}/reconcile`)).body).toMatchObject({
      created: [],
      updated: ["help-desk"],
      deleted: ["help-desk-model-armor"],
    });
  });

  test("tells each step as it happens, then the result, or the error with what was done", async () => {
    await using translator = await startTranslator(engine);
    const { call, submit } = translator;
    await call("POST", `${await submit(handbookYaml)}/reconcile`);
    const desk = await submit(deskYaml);
    const failure = { action: "create", resource_type: "vertex.agent_engine", times: 1 };
    await call("POST", "/v1/accounts/local/failures", { body: failure });
    const stream = async () => {
      const { text, headers } = await call("POST", `${desk}/reconcile`, {
        headers: { accept: "text/event-stream" },
      });
      expect(headers.get("content-type")).toBe("text/event-stream");
      return text
        .split("\n\n")
        .filter((event) => event.startsWith("data: "))
        .map((event) => JSON.parse(event.slice("data: ".length)));
    };
    const step = (resource: string, resource_type: string, state: string) => ({
      type: "step",
      action: "create",
      resource,
      resource_type,
      state,
    });
    const failed = await stream();
    expect(failed.slice(0, 3)).toEqual([
      step("help-desk-model-armor", "modelarmor.template", "begun"),
      step("help-desk-model-armor", "modelarmor.template", "done"),
      step("help-desk", "vertex.agent_engine", "begun"),
    ]);
    expect(failed[3]).toMatchObject({
      type: "error",
      created: ["help-desk-model-armor"],
      failed: { resource: "help-desk" },
    });
    expect(failed[3].status).toBeGreaterThanOrEqual(500);
    const applied = await stream();
    expect(applied.slice(0, 2).map(({ state }) => state)).toEqual(["begun", "done"]);
    expect(applied[2]).toMatchObject({ type: "done", name: "help-desk", created: ["help-desk"] });
    expect(applied).toHaveLength(3);
  });

  test("what an account holds is listed page by page, each once and by manifest, type and name", async () => {
    await using translator = await startTranslator(engine);
    const { call, submit } = translator;
    for (const yaml of [handbookYaml, deskYaml, agentYaml("b"), agentYaml("a")])
      await call("POST", `${await submit(yaml)}/reconcile`);
    const list = "/v1/accounts/local/resources";
    const whole = (await call("GET", list)).body.resources as Record<
      "spec" | "resource_type" | "name",
      string
    >[];
    const places = whole.map(({ spec, resource_type, name }) => JSON.stringify([spec, resource_type, name]));
    expect(places).toHaveLength(5);
    expect(places).toEqual(places.toSorted());
    for (const limit of [1, 2, 4, 5]) {
      const pages: unknown[][] = [];
      for (let next: string | undefined = ""; next !== undefined; ) {
        const { body } = await call("GET", `${list}?limit=${limit}${next && `&cursor=${next}`}`);
        pages.push(body.resources);
        next = body.next_cursor;
      }
      expect(pages.flat()).toEqual(whole);
      expect(pages.map((page) => page.length).slice(0, -1)).toEqual(pages.slice(1).map(() => limit));
    }
  });

  test.each([["Agent/a"], ["Agent/a", "x", 7], ["Agent/a", "x", "y", "z"], ["Agent/a", "x", "a\0"]])(
    "a cursor of no page of an account's resources is 400: %j %j %j %j",
    async (...place) => {
      await using translator = await startTranslator(engine);
      const cursor = Buffer.from(JSON.stringify(place)).toString("base64url");
      const { status, body } = await translator.call("GET", `/v1/accounts/local/resources?cursor=${cursor}`);
      expect([status, body.error]).toEqual([400, "invalid_request"]);
    },
  );

  test("sends ids in place of references, and no bindings", async () => {
    await using translator = await startTranslator(engine);
    const { call, submit } = translator;
    await call("POST", `${await submit(handbookYaml)}/reconcile`);
    await call("POST", `${await submit(deskYaml)}/reconcile`);
    const { resources } = (await call("GET", "/v1/accounts/local/resources")).body as {
      resources: { id: string; name: string; config: Record<string, unknown> }[];
    };
    const text = JSON.stringify(resources.find(({ name }) => name === "help-desk")?.config);
    for (const name of ["handbook-corpus", "help-desk-model-armor"])
      expect(text).toContain(JSON.stringify(resources.find((one) => one.name === name)?.id));
    expect(text).not.toContain("bindings");
    expect(text).not.toContain("RAGPipeline/");
  });

  test("refuses a reference that the account doesn't hold (422), and applies nothing", async () => {
    await using translator = await startTranslator(engine);
    const desk = await translator.submit(deskYaml);
    for (const action of ["plan", "reconcile"]) {
      const { status, body } = await translator.call("POST", `${desk}/${action}`);
      expect([status, body.error]).toEqual([422, "unresolved_reference"]);
      expect(body.message).toContain("handbook-corpus");
    }
    expect((await translator.call("GET", "/v1/accounts/local/resources")).body).toEqual({ resources: [] });
  });

  test("says what it did before the account failed (502), and does the rest the next time", async () => {
    await using translator = await startTranslator(engine);
    const { call, submit } = translator;
    await call("POST", `${await submit(handbookYaml)}/reconcile`);
    const desk = await submit(deskYaml);
    const failure = {
      action: "create",
      resource_type: "vertex.agent_engine",
      times: 1,
      message: "Out of quota.",
    };
    expect((await call("POST", "/v1/accounts/local/failures", { body: failure })).status).toBe(204);
    const failed = await call("POST", `${desk}/reconcile`);
    expect([failed.status, failed.body.error, failed.body.message, failed.body.created]).toEqual([
      502,
      "account_failed",
      "Out of quota.",
      ["help-desk-model-armor"],
    ]);
    expect((await call("POST", `${desk}/reconcile`)).body).toMatchObject({
      created: ["help-desk"],
      updated: [],
    });
  });
});

onEachEngine("plan and drift", (engine: TestEngine) => {
  test("a plan is what a reconcile with its hash does; another hash is refused (409)", async () => {
    await using translator = await startTranslator(engine);
    const { call, submit } = translator;
    const spec = await submit(agentYaml("one"));
    const { body: plan } = await call("POST", `${spec}/plan`);
    expect(plan).toMatchObject({ kind: "Agent", name: "one", provider: "gcp", account: "local", gaps: [] });
    expect(plan.changes).toMatchObject([
      { action: "create", resource: "one", resource_type: "vertex.agent_engine" },
    ]);

    await submit(agentYaml("one", "Changed since."));
    const stale = await call("POST", `${spec}/reconcile`, { headers: { "if-match": `"${plan.hash}"` } });
    expect([stale.status, stale.body.error]).toEqual([409, "plan_stale"]);
    expect((await call("GET", "/v1/accounts/local/resources")).body).toEqual({ resources: [] });

    const { body: fresh } = await call("POST", `${spec}/plan`);
    const done = await call("POST", `${spec}/reconcile`, { headers: { "if-match": String(fresh.hash) } });
    expect([done.status, done.body.created]).toEqual([200, ["one"]]);
    expect((await call("POST", `${spec}/plan`)).body.changes).toEqual([]);
  });

  test("an update shows each field before and after", async () => {
    await using translator = await startTranslator(engine);
    const { call, submit } = translator;
    const spec = await submit(agentYaml("one"));
    await call("POST", `${spec}/reconcile`);
    await submit(agentYaml("one", "New."));
    const { body } = await call("POST", `${spec}/plan`);
    expect(body.changes[0]).toMatchObject({ action: "update", resource: "one" });
    expect(body.changes[0].fields).toContainEqual({
      path: "description",
      before: "An agent.",
      after: "New.",
    });
  });

  test("drift compares the account with what was applied, not with the manifest as it is now", async () => {
    await using translator = await startTranslator(engine);
    const { call, submit } = translator;
    const spec = await submit(agentYaml("one"));
    await call("POST", `${spec}/reconcile`);
    await submit(agentYaml("one", "New."));
    expect((await call("GET", `${spec}/drift`)).body).toEqual({
      kind: "Agent",
      name: "one",
      account: "local",
      drifted: false,
      changes: [],
    });
    const { resources } = (await call("GET", "/v1/accounts/local/resources")).body;
    const edit = { set: { display_name: "By hand", "labels.by": "hand", description: null } };
    const edited = await call("PATCH", `/v1/accounts/local/resources/${resources[0].id}`, { body: edit });
    expect([edited.status, edited.body.config.display_name]).toEqual([200, "By hand"]);
    const { body } = await call("GET", `${spec}/drift`);
    expect(body.drifted).toBe(true);
    expect(body.changes[0].fields).toEqual([
      { path: "description", after: "An agent." },
      { path: "display_name", before: "By hand", after: "one" },
      { path: "labels.by", before: "hand" },
    ]);
  });
});

onEachEngine("delete", (engine: TestEngine) => {
  test("refuses while resources are held (409) unless it cascades, and while another spec is bound to them (409)", async () => {
    await using translator = await startTranslator(engine);
    const { call, submit } = translator;
    const handbook = await submit(handbookYaml);
    const desk = await submit(deskYaml);
    await call("POST", `${handbook}/reconcile`);
    await call("POST", `${desk}/reconcile`);
    for (const path of [desk, `${handbook}?cascade=true`]) {
      const refused = await call("DELETE", path);
      expect([refused.status, refused.body.error]).toEqual([409, "resources_held"]);
    }
    const removed = await call("DELETE", `${desk}?cascade=true`);
    expect(removed.body).toEqual({
      kind: "Agent",
      name: "help-desk",
      deleted: ["help-desk", "help-desk-model-armor"],
    });
    expect((await call("DELETE", `${handbook}?cascade=true`)).status).toBe(200);
    expect((await call("GET", "/v1/accounts/local/resources")).body).toEqual({ resources: [] });
    expect((await call("GET", "/v1/specs")).body).toEqual({ specs: [] });
  });

  test("of a spec without resources needs no cascade; then it is 404", async () => {
    await using translator = await startTranslator(engine);
    const spec = await translator.submit(agentYaml("one"));
    expect((await translator.call("DELETE", spec)).status).toBe(200);
    expect((await translator.call("GET", spec)).status).toBe(404);
  });
});

onEachEngine("delete from several accounts", (engine: TestEngine) => {
  /** A translator with the accounts `local` (gcp), `stage` and `third` (aws), whose configured ones may change. */
  const startMany = async () => {
    const configured = new Set(["local", "stage", "third"]);
    const translator = await startTranslator(engine, (local) => [local]);
    const { deps } = translator;
    const all = new Accounts([
      deps.accounts.get("local"),
      new LocalAccount("stage", "aws", deps),
      new LocalAccount("third", "aws", deps),
    ]);
    const isKnown = (name: string) => configured.has(name);
    deps.accounts.find = (name) => (isKnown(name) ? all.find(name) : undefined);
    const spec = await translator.submit(agentYaml("two"));
    const held = async (account: string) =>
      (await deps.storage.read.select().from(deps.storage.tables.localResources))
        .filter((row) => row.account === account)
        .map(({ name }) => name)
        .sort();
    return { translator, configured, spec, held };
  };

  test("says what was deleted in all of them when one fails (502), and to delete again", async () => {
    const { translator, spec, held } = await startMany();
    await using _ = translator;
    const { call } = translator;
    for (const account of ["local", "stage", "third"])
      await call("POST", `${spec}/reconcile?account=${account}`);
    const [ofLocal, ofStage, ofThird] = [await held("local"), await held("stage"), await held("third")];
    expect(ofStage.length).toBeGreaterThan(1);
    // `times` is 1 if it is left out.
    const failure = { action: "delete", message: "Locked." };
    expect((await call("POST", "/v1/accounts/stage/failures", { body: failure })).status).toBe(204);
    const failed = await call("DELETE", `${spec}?cascade=true`);
    expect([failed.status, failed.body.error, failed.body.message]).toEqual([
      502,
      "account_failed",
      "Locked.",
    ]);
    expect(failed.body.deleted.toSorted()).toEqual(ofLocal);
    expect(failed.body.failed).toMatchObject({ action: "delete", account: "stage" });
    const namesIn = (account: string) =>
      failed.body.not_tried
        .filter((one: { account: string }) => one.account === account)
        .map(({ resource }: { resource: string }) => resource);
    expect([failed.body.failed.resource, ...namesIn("stage")].sort()).toEqual(ofStage);
    expect(namesIn("third").sort()).toEqual(ofThird);
    expect(failed.body.hint).toContain("Delete again with ?cascade=true");
    expect(failed.body.hint).not.toMatch(/reconcile/i);
    expect([await held("local"), await held("third")]).toEqual([[], ofThird]);

    const again = await call("DELETE", `${spec}?cascade=true`);
    expect([again.status, again.body.deleted.toSorted()]).toEqual([200, [...ofStage, ...ofThird].sort()]);
    expect((await call("GET", spec)).status).toBe(404);
  });

  test("a 429 of one account names the deletions that were made before it", async () => {
    const { translator, spec, held } = await startMany();
    await using _ = translator;
    const { call, deps } = translator;
    for (const account of ["local", "stage"]) await call("POST", `${spec}/reconcile?account=${account}`);
    const [ofLocal, ofStage] = [await held("local"), await held("stage")];
    deps.accounts.get("stage").observe = async () => {
      throw new AppError("rate_limited", "account_quota_exhausted", "Too many.", {
        details: { hint: "Wait." },
      });
    };
    const { status, body } = await call("DELETE", `${spec}?cascade=true`);
    expect([status, body.error, body.deleted.toSorted()]).toEqual([429, "account_quota_exhausted", ofLocal]);
    expect(body.not_tried.map(({ resource }: { resource: string }) => resource).sort()).toEqual(ofStage);
    expect(body.hint).toStartWith("Wait. Delete again");
  });

  test("refuses an account that isn't configured any more (409) before anything is deleted, or forgets it", async () => {
    const { translator, configured, spec, held } = await startMany();
    await using _ = translator;
    const { call, deps } = translator;
    for (const account of ["local", "stage"]) await call("POST", `${spec}/reconcile?account=${account}`);
    const [ofLocal, ofStage] = [await held("local"), await held("stage")];
    configured.delete("stage");
    const refused = await call("DELETE", `${spec}?cascade=true`);
    expect([refused.status, refused.body.error, refused.body.accounts]).toEqual([
      409,
      "account_missing",
      ["stage"],
    ]);
    expect(refused.body.message).toContain("stage");
    expect(refused.body.hint).toContain("forget_missing=true");
    expect([await held("local"), (await call("GET", spec)).status]).toEqual([ofLocal, 200]);
    // Without `cascade`, nothing is forgotten either.
    const held409 = await call("DELETE", `${spec}?forget_missing=true`);
    expect([held409.status, held409.body.error]).toEqual([409, "resources_held"]);

    const removed = await call("DELETE", `${spec}?cascade=true&forget_missing=true`);
    expect([removed.status, removed.body.deleted.toSorted()]).toEqual([200, ofLocal]);
    const { forgotten } = removed.body as { forgotten: Record<string, string>[] };
    expect(forgotten.map(({ resource }) => resource).sort()).toEqual(ofStage);
    for (const one of forgotten)
      expect(one).toEqual({
        account: "stage",
        resource_type: expect.any(String),
        resource: expect.any(String),
        id: expect.any(String),
      });
    expect([await held("stage"), (await call("GET", spec)).status]).toEqual([ofStage, 404]);
    expect(await deps.storage.read.select().from(deps.storage.tables.applied)).toEqual([]);
  });
});

onEachEngine("an interrupted reconcile", (engine: TestEngine) => {
  test("of one spec refuses another (409) until it ends", async () => {
    const began = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    await using translator = await startTranslator(engine, (local) => [
      Object.assign(Object.create(local), {
        name: "local",
        provider: "gcp",
        driver: "embedded",
        observe: (spec: string) => local.observe(spec),
        async create(...args: Parameters<typeof local.create>) {
          began.resolve();
          await goOn.promise;
          return local.create(...args);
        },
      }),
    ]);
    const spec = await translator.submit(agentYaml("one"));
    const first = translator.call("POST", `${spec}/reconcile`);
    await began.promise;
    const second = await translator.call("POST", `${spec}/reconcile`);
    expect([second.status, second.body.error]).toEqual([409, "reconcile_running"]);
    goOn.resolve();
    expect((await first).body.created).toEqual(["one"]);
  });

  test("is resumed, whether it broke off before or after the resource was made", async () => {
    for (const isMade of [false, true]) {
      let isBroken = true;
      await using translator = await startTranslator(engine, (local) => [
        {
          name: "local",
          provider: "gcp",
          driver: "embedded",
          observe: (spec) => local.observe(spec),
          async create(spec, resource) {
            if (!isBroken) return local.create(spec, resource);
            if (isMade) await local.create(spec, resource);
            translator.stop();
            throw new Error("the process ended here");
          },
          update: (spec, id, resource) => local.update(spec, id, resource),
          delete: (spec, held) => local.delete(spec, { ...held, config: {} }),
        },
      ]);
      const { call, submit, deps } = translator;
      const spec = await submit(agentYaml("one"));
      expect((await call("POST", `${spec}/reconcile`)).status).toBe(500);
      isBroken = false;
      await resumeReconciles({ ...deps, stopping: new AbortController().signal });
      expect((await call("POST", `${spec}/plan`)).body.changes).toEqual([]);
      expect((await call("GET", `${spec}/drift`)).body.drifted).toBe(false);
      expect(await openReconciles(deps.storage)).toEqual([]);
      expect((await call("GET", "/v1/accounts/local/resources")).body.resources).toHaveLength(1);
    }
  });
});

describe("an account's failures", () => {
  test.each([
    [400, "invalid_request", "POST", "/v1/accounts/local/failures", { action: "explode", times: 1 }],
    [404, "account_not_found", "POST", "/v1/accounts/far/failures", { action: "create", times: 1 }],
    [404, "account_not_found", "GET", "/v1/accounts/far/resources", undefined],
    [404, "resource_not_found", "PATCH", "/v1/accounts/local/resources/x/y", { set: { a: 1 } }],
    [400, "invalid_request", "PATCH", "/v1/accounts/local/resources/x", {}],
  ])("%d %s: %s %s", async (status, error, method, path, body) => {
    const { sqliteEngine } = await import("../../../support/storage-engines.ts");
    await using translator = await startTranslator(sqliteEngine);
    const answer = await translator.call(method, path, { body });
    expect([answer.status, answer.body.error]).toEqual([status, error]);
  });
});
