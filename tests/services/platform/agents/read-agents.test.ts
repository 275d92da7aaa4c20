import { expect, test } from "bun:test";
import { newId } from "../../../../src/kit/id.ts";
import { sweepRetired } from "../../../../src/services/platform/agents/retired-agents.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";
import { asOwner, create, platformWithOwner, specOf } from "./sent-spec.ts";

const path = "/api/v1/agents/support";

onEachEngine("agents", (engine) => {
  test("are listed newest first, each tenant's own", async () => {
    await using platform = await platformWithOwner(engine);
    expect((await asOwner(platform, "GET", "/api/v1/agents")).body).toEqual({ agents: [] });
    for (const name of ["one", "two", "three"]) await create(platform, specOf(name));
    const { agents } = (await asOwner(platform, "GET", "/api/v1/agents")).body;
    expect(agents.map(({ name }: { name: string }) => name)).toEqual(["three", "two", "one"]);
    expect(agents[0]).not.toHaveProperty("spec");
    const { asProgram } = await platform.tenant();
    const foreign = await platform.call("GET", "/api/v1/agents", { headers: asProgram });
    expect(foreign.body).toEqual({ agents: [] });
  });

  test("come in pages that new agents don't shift, and an unknown cursor is 400", async () => {
    await using platform = await platformWithOwner(engine);
    for (const name of ["one", "two", "three", "four", "five"]) await create(platform, specOf(name));
    const page = (query: string) => asOwner(platform, "GET", `/api/v1/agents?${query}`);
    const namesOf = ({ body }: { body: { agents: { name: string }[] } }) =>
      body.agents.map(({ name }) => name);
    const first = await page("limit=2");
    expect(namesOf(first)).toEqual(["five", "four"]);
    await create(platform, specOf("six"));
    const second = await page(`limit=2&cursor=${first.body.next_cursor}`);
    expect(namesOf(second)).toEqual(["three", "two"]);
    const last = await page(`limit=2&cursor=${second.body.next_cursor}`);
    expect(namesOf(last)).toEqual(["one"]);
    expect(last.body).not.toHaveProperty("next_cursor");
    expect((await page("cursor=x")).status).toBe(400);
    expect((await page("limit=0")).status).toBe(400);
  });

  test("of another tenant are 404, exactly like missing ones", async () => {
    await using platform = await platformWithOwner(engine);
    const { id } = (await create(platform, specOf("support"))).body;
    const stranger = await platform.tenant();
    const body = specOf("support");
    const requests: [string, string, string, unknown?][] = [
      ["GET", path, "support"],
      ["PUT", path, "support", body],
      ["DELETE", path, "support"],
      ["GET", `${path}/versions`, "support"],
      ["GET", `${path}/versions/1`, "support"],
      ["GET", `${path}/versions/1/diff/1`, "support"],
      ["POST", `${path}/versions/1/restore`, "support"],
      ["GET", `/api/v1/agents/by-id/${id}/versions`, id],
      ["GET", `/api/v1/agents/by-id/${id}/versions/1`, id],
    ];
    for (const headers of [stranger.asProgram, stranger.asPerson]) {
      for (const [method, at, named, sent] of requests) {
        const absent = named === id ? newId() : "nobody";
        const ask = (where: string) =>
          platform.call(method, where, { headers, ...(sent ? { body: sent } : {}) });
        const foreign = await ask(at);
        const missing = await ask(at.replace(named, absent));
        expect([method, at, foreign.status]).toEqual([method, at, 404]);
        expect(missing.text.replaceAll(absent, named)).toBe(foreign.text);
      }
    }
    expect((await asOwner(platform, "GET", path)).body.current_version).toBe(1);
  });

  test.each(["01", "0", "2", "+1", "1 ", " 1", "1.0", "0x1", "１", "%00", "9".repeat(30), "latest"])(
    "version %p is 404",
    async (number) => {
      await using platform = await platformWithOwner(engine);
      const { id } = (await create(platform, specOf("support"))).body;
      const written = number === "%00" ? number : encodeURIComponent(number);
      for (const start of [path, `/api/v1/agents/by-id/${id}`]) {
        expect((await asOwner(platform, "GET", `${start}/versions/${written}`)).status).toBe(404);
      }
    },
  );

  test("that are deleted are 404 by name, with a history that stays readable by their id", async () => {
    await using platform = await platformWithOwner(engine);
    const { id } = (await create(platform, specOf("support"))).body;
    const other = (await create(platform, specOf("other"))).body;
    const registered = {
      tenant_id: platform.owner.id,
      agent_id: id,
      name: "support",
      checksum: "c",
      spec: {},
    };
    platform.runtime.agents.set(`t_${platform.owner.id}__support`, registered);
    const before = await asOwner(platform, "GET", `/api/v1/agents/by-id/${id}/versions/1`);
    expect(before).toMatchObject({ status: 200, body: { number: 1, spec: specOf("support") } });

    expect(await asOwner(platform, "DELETE", path)).toMatchObject({ status: 204, text: "" });
    expect([...platform.runtime.agents]).toEqual([]);
    expect(platform.runtime.forgotten).toEqual([{ name: `t_${platform.owner.id}__support`, agentId: id }]);
    for (const [method, at] of [
      ["GET", path],
      ["DELETE", path],
      ["GET", `${path}/versions`],
      ["GET", `${path}/versions/1`],
      ["POST", `${path}/versions/1/restore`],
    ] as const) {
      expect((await asOwner(platform, method, at)).status).toBe(404);
    }
    expect((await asOwner(platform, "PUT", path, { body: specOf("support") })).status).toBe(404);
    const { agents } = (await asOwner(platform, "GET", "/api/v1/agents")).body;
    expect(agents.map((agent: { id: string }) => agent.id)).toEqual([other.id]);
    expect(await asOwner(platform, "GET", `/api/v1/agents/by-id/${id}/versions/1`)).toMatchObject({
      body: before.body,
    });
    expect(
      (await asOwner(platform, "GET", `/api/v1/agents/by-id/${id}/versions`)).body.versions,
    ).toHaveLength(1);
  });

  test("are deleted once, however many requests come at once; the others are 404", async () => {
    await using platform = await platformWithOwner(engine);
    await create(platform, specOf("support"));
    const answers = await Promise.all(Array.from({ length: 8 }, () => asOwner(platform, "DELETE", path)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array(7).fill(404)]);
  });

  test("that the runtime could not be reached for are forgotten later, with their memory", async () => {
    let isThere = false;
    await using platform = await platformWithOwner(engine, (deps) => ({
      ...deps,
      runtime: {
        ...deps.runtime,
        async deregister(name, agentId) {
          if (!isThere) throw new Error("not there");
          await deps.runtime.deregister(name, agentId);
        },
      },
    }));
    const first = (await create(platform, specOf("support"))).body;
    expect((await asOwner(platform, "DELETE", path)).status).toBe(204);
    const second = (await create(platform, specOf("support"))).body;
    const other = (await create(platform, specOf("other"))).body;
    await asOwner(platform, "DELETE", "/api/v1/agents/other");
    expect(await sweepRetired(platform.deps)).toBe(0);
    isThere = true;
    expect(await sweepRetired(platform.deps)).toBe(2);
    expect(platform.runtime.forgotten.map(({ agentId }) => agentId)).toEqual([first.id, other.id]);
    expect(await sweepRetired(platform.deps)).toBe(0);
    expect((await asOwner(platform, "GET", path)).body.id).toBe(second.id);
  });

  test("that a runtime has and that don't live here are cleared away, and no others", async () => {
    await using platform = await platformWithOwner(engine);
    const { id } = platform.owner;
    await create(platform, specOf("support"));
    const gone = await platform.tenant();
    await platform.call("DELETE", `/api/v1/tenants/${gone.id}`, { headers: gone.asPerson });
    const elsewhere = newId();
    const kept = [`t_${id}__support`, `t_${elsewhere}__support`, "something-else"];
    for (const name of [...kept, `t_${id}__deleted`, `t_${gone.id}__support`]) {
      platform.runtime.agents.set(name, { tenant_id: id, agent_id: "a", name, checksum: "c", spec: {} });
    }
    expect(await sweepRetired(platform.deps)).toBe(2);
    expect([...platform.runtime.agents.keys()]).toEqual(kept);
  });

  test("a runtime that doesn't answer doesn't hold up a deletion", async () => {
    await using platform = await platformWithOwner(engine, (deps) => ({
      ...deps,
      runtime: { ...deps.runtime, deregister: () => new Promise(() => {}) },
    }));
    await create(platform, specOf("support"));
    const answer = asOwner(platform, "DELETE", path);
    let isOver = false;
    void answer.finally(() => {
      isOver = true;
    });
    while (!isOver) await platform.clock.advance(1000);
    expect((await answer).status).toBe(204);
  });
});
