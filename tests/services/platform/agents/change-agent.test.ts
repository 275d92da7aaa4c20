import { expect, test } from "bun:test";
import { AppError } from "../../../../src/kit/app-error.ts";
import { newId } from "../../../../src/kit/id.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";
import {
  addSubscription,
  asOwner,
  create,
  type PlatformWithOwner,
  platformWithOwner,
  specOf,
  yaml,
} from "./sent-spec.ts";

const path = "/api/v1/agents/support";

const replace = (platform: PlatformWithOwner, body: unknown, query = "") =>
  asOwner(platform, "PUT", `${path}${query}`, { body });

const withRole = (role: string) => specOf("support", { identity: { role } });

const numbersOf = async (platform: PlatformWithOwner, of = path) =>
  (await asOwner(platform, "GET", `${of}/versions`)).body.versions.map(
    ({ number }: { number: number }) => number,
  );

onEachEngine("changing an agent", (engine) => {
  test("appends a version and makes it current; the earlier ones stay as they were", async () => {
    await using platform = await platformWithOwner(engine);
    const first = (await create(platform, withRole("one"))).body;
    const before = (await asOwner(platform, "GET", `${path}/versions/1`)).body;
    await platform.clock.advance(60_000);
    const second = await replace(platform, withRole("two"));
    expect(second).toMatchObject({
      status: 200,
      body: {
        id: first.id,
        current_version: 2,
        created_at: "2026-03-10T12:00:00.000Z",
        updated_at: "2026-03-10T12:01:00.000Z",
        spec: withRole("two"),
      },
    });
    expect((await asOwner(platform, "GET", path)).body).toEqual(second.body);
    expect((await asOwner(platform, "GET", `${path}/versions/1`)).body).toEqual(before);
    expect(await numbersOf(platform)).toEqual([2, 1]);
  });

  test("the same spec sent again is another version with the same checksum, in any order of its keys", async () => {
    await using platform = await platformWithOwner(engine);
    await create(platform, withRole("one"));
    const { apiVersion, kind, metadata, spec } = withRole("one");
    await replace(platform, { spec, metadata, kind, apiVersion });
    const { versions } = (await asOwner(platform, "GET", `${path}/versions`)).body;
    expect(new Set(versions.map(({ checksum }: { checksum: string }) => checksum)).size).toBe(1);
    expect(versions).toHaveLength(2);
  });

  test("of many changes at once none is lost and no number comes twice", async () => {
    await using platform = await platformWithOwner(engine);
    await create(platform, withRole("0"));
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, number) => replace(platform, withRole(`${number + 1}`))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect(await numbersOf(platform)).toEqual(Array.from({ length: 13 }, (_, index) => 13 - index));
    for (const { body } of answers) {
      const stored = await asOwner(platform, "GET", `${path}/versions/${body.current_version}`);
      expect(stored.body.spec).toEqual(body.spec);
    }
  });

  test.each<[string, number, string, string, unknown]>([
    ["another name", 400, "invalid_manifest", path, specOf("other")],
    ["no manifest", 400, "invalid_manifest", path, { kind: "Agent" }],
    ["an agent that isn't there", 404, "agent_not_found", "/api/v1/agents/other", specOf("other")],
    ["a name that none can have", 404, "agent_not_found", "/api/v1/agents/By_Id", specOf("other")],
  ])("%s is %i, and the stored one stays", async (_, status, error, at, body) => {
    await using platform = await platformWithOwner(engine);
    await create(platform, withRole("one"));
    expect(await asOwner(platform, "PUT", at, { body })).toMatchObject({ status, body: { error } });
    expect(await numbersOf(platform)).toEqual([1]);
  });

  test("a changed name is refused with its place in the YAML", async () => {
    await using platform = await platformWithOwner(engine);
    await create(platform, withRole("one"));
    const body =
      "apiVersion: platform/v1\nkind: Agent\nmetadata: { name: other }\nspec: { model: { primary: { provider: a, model: b } } }\n";
    const refused = await asOwner(platform, "PUT", path, { headers: yaml, body });
    expect(refused.body.problems).toEqual([
      { path: "metadata.name", message: "must be support: an agent keeps its name", line: 3, column: 19 },
    ]);
  });

  test.each<
    [string, (name: string) => Promise<never[] | { path: string; message: string }[]>, number, string]
  >([
    ["finds faults", async () => [{ path: "spec.tools[0]", message: "no" }], 400, "invalid_manifest"],
    [
      "can't be reached",
      async () => {
        throw new AppError("upstream_failed", "runtime_unreachable", "Not reached.");
      },
      502,
      "runtime_unreachable",
    ],
  ])("a runtime that %s leaves the stored one as it is", async (_, check, status, error) => {
    let isSound = true;
    await using platform = await platformWithOwner(engine, (deps) => ({
      ...deps,
      runtime: { ...deps.runtime, check: async (tenant) => (isSound ? [] : check(tenant)) },
    }));
    await create(platform, withRole("one"));
    isSound = false;
    expect(await replace(platform, withRole("two"))).toMatchObject({ status, body: { error } });
    expect(await asOwner(platform, "POST", `${path}/versions/1/restore`)).toMatchObject({ status });
    expect(await numbersOf(platform)).toEqual([1]);
  });

  test("keeps its subscription until another is named", async () => {
    await using platform = await platformWithOwner(engine);
    const first = await addSubscription(platform, platform.owner);
    const second = await addSubscription(platform, platform.owner, { argoCode: "crm" });
    const cancelledAt = platform.clock.now();
    const over = await addSubscription(platform, platform.owner, { argoCode: "hr", cancelledAt });
    const foreign = await addSubscription(platform, await platform.tenant());
    await create(platform, withRole("0"), `?subscription_id=${first}`);
    expect((await replace(platform, withRole("1"))).body.subscription_id).toBe(first);
    expect((await replace(platform, withRole("2"), `?subscription_id=${second}`)).body.subscription_id).toBe(
      second,
    );
    const refused = [
      [foreign, 404],
      [newId(), 404],
      [over, 422],
    ] as const;
    for (const [id, status] of refused) {
      expect((await replace(platform, withRole("3"), `?subscription_id=${id}`)).status).toBe(status);
    }
    const { body } = await asOwner(platform, "GET", path);
    expect([body.subscription_id, body.current_version]).toEqual([second, 3]);
  });

  test("restoring a version appends its spec as a new one; an unknown version is 404", async () => {
    await using platform = await platformWithOwner(engine);
    await create(platform, withRole("one"));
    await replace(platform, withRole("two"));
    const restored = await asOwner(platform, "POST", `${path}/versions/1/restore`);
    expect(restored).toMatchObject({ status: 201, body: { current_version: 3, spec: withRole("one") } });
    const { versions } = (await asOwner(platform, "GET", `${path}/versions`)).body;
    expect(versions[0].checksum).toBe(versions[2].checksum);
    for (const number of ["4", "0", "01", "x", "-1", "1.0", "1e0", "99999999999999999999"]) {
      expect(await asOwner(platform, "POST", `${path}/versions/${number}/restore`)).toMatchObject({
        status: 404,
        body: { error: "version_not_found" },
      });
    }
    expect(await numbersOf(platform)).toEqual([3, 2, 1]);
  });

  test("a version has its author's note, a restored one says which it was; a note of two lines is 400", async () => {
    await using platform = await platformWithOwner(engine);
    await create(platform, specOf("support"));
    const put = (note: string) => replace(platform, specOf("support"), `?note=${encodeURIComponent(note)}`);
    expect((await put("Shorter <b>prompt</b>")).status).toBe(200);
    for (const wrong of ["two\nlines", " ", "x".repeat(201)]) expect((await put(wrong)).status).toBe(400);
    expect((await asOwner(platform, "POST", `${path}/versions/1/restore`)).status).toBe(201);
    const { versions } = (await asOwner(platform, "GET", `${path}/versions`)).body;
    expect(versions.map(({ number, note }: { number: number; note?: string }) => [number, note])).toEqual([
      [3, "Restored version 1."],
      [2, "Shorter <b>prompt</b>"],
      [1, undefined],
    ]);
  });

  test("two versions are compared field by field; a missing version is 404", async () => {
    await using platform = await platformWithOwner(engine);
    await create(platform, withRole("one"));
    await replace(platform, specOf("support", { identity: { display_name: "S", role: "two" } }));
    const diff = await asOwner(platform, "GET", `${path}/versions/1/diff/2`);
    expect(diff).toMatchObject({ status: 200 });
    expect(diff.body).toEqual({
      from: 1,
      to: 2,
      changes: [
        { path: "spec.identity.display_name", change: "added", after: "S" },
        { path: "spec.identity.role", change: "changed", before: "one", after: "two" },
      ],
    });
    const back = await asOwner(platform, "GET", `${path}/versions/2/diff/1`);
    expect(back.body.changes[0]).toEqual({
      path: "spec.identity.display_name",
      change: "removed",
      before: "S",
    });
    expect((await asOwner(platform, "GET", `${path}/versions/2/diff/2`)).body.changes).toEqual([]);
    expect((await asOwner(platform, "GET", `${path}/versions/1/diff/3`)).status).toBe(404);
    expect((await asOwner(platform, "GET", `${path}/versions/01/diff/2`)).status).toBe(404);
  });
});
