import { expect, test } from "bun:test";
import { MinuteLimit } from "../../../../src/kit/concurrency/minute-limit.ts";
import { draft, startCloud } from "../../../support/cloud.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

onEachEngine("the changes of an org", (engine) => {
  test("are limited in a minute, refused ones too, then 429; reads and other orgs are not affected", async () => {
    await using cloud = await startCloud(engine, (deps) => ({
      ...deps,
      changes: new MinuteLimit(deps.clock, 3, "changes"),
    }));
    const [mallory, ada] = [await cloud.login("mallory@example.com"), await cloud.login("ada@example.com")];
    const rename = (person: typeof ada, name: string) =>
      cloud.call("PATCH", person.org, { headers: person.headers, body: { display_name: name } });
    const statuses = [];
    for (const name of ["a", "", "b", "c"]) statuses.push((await rename(mallory, name)).status);
    expect(statuses).toEqual([200, 400, 200, 429]);
    const { headers } = mallory;
    const refused = await cloud.call("POST", `${mallory.org}/agents`, { headers, body: draft("helper") });
    expect(refused).toMatchObject({ status: 429, body: { error: "rate_limited", status: 429 } });
    expect(Number(refused.headers.get("retry-after"))).toBe(60);
    expect((await cloud.call("GET", `${mallory.org}/agents`, { headers })).status).toBe(200);
    expect((await rename(ada, "Ada")).status).toBe(200);
    await cloud.clock.advance(60_000);
    expect((await rename(mallory, "d")).status).toBe(200);
  });

  test("an org has at most 100 active keys; one more is 409", async () => {
    await using cloud = await startCloud(engine);
    const { headers, org } = await cloud.login("ada@example.com");
    const make = () => cloud.call("POST", `${org}/keys`, { headers, body: { name: "k" } });
    for (let n = 0; n < 99; n++) await make();
    const last = await make();
    expect(last.status).toBe(201);
    const refused = await make();
    expect(refused).toMatchObject({ status: 409, body: { error: "key_limit_reached", status: 409 } });
    await cloud.call("DELETE", `${org}/keys/${last.body.id}`, { headers });
    expect((await make()).status).toBe(201);
  });
});
