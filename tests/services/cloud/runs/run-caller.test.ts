import { expect, test } from "bun:test";
import { requireRunCaller } from "../../../../src/services/cloud/runs/run-caller.ts";
import { type CloudPerson, deploy, startCloud, type TestCloud } from "../../../support/cloud.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

async function keyOf(cloud: TestCloud, { org, headers }: CloudPerson) {
  const { body } = await cloud.call("POST", `${org}/keys`, { headers, body: { name: "test" } });
  return { id: body.id as string, proof: { by: "key", key: body.secret as string } as const };
}

onEachEngine("the caller of a run", (engine) => {
  test("is the same by a key and by a token, with the same agent", async () => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    await deploy(cloud, ada);
    const provided = { headers: ada.headers, body: { provider: "openai", api_key: "sk-of-ada-1234567890" } };
    await cloud.call("POST", `${ada.org}/providers`, provided);
    const { id, proof } = await keyOf(cloud, ada);
    const place = { slug: ada.slug, name: "helper" };
    const byKey = await requireRunCaller(cloud.deps, proof, place);
    const byToken = await requireRunCaller(cloud.deps, { by: "token", token: ada.accessToken }, place);
    expect(byKey.runnable).toEqual(byToken.runnable);
    expect(byKey.runnable).toMatchObject({ name: "helper", status: "deployed" });
    expect(Object.keys(byKey.runnable?.sealedKeys ?? {})).toEqual(["openai"]);
    expect(byKey.actor).toMatchObject({ org: byToken.actor.org, role: "key", keyId: id });
  });

  test("has no agent if the org has none of this name", async () => {
    await using cloud = await startCloud(engine);
    const [ada, bo] = [await cloud.login("ada@example.com"), await cloud.login("bo@example.com")];
    await deploy(cloud, bo);
    const { proof } = await keyOf(cloud, ada);
    const { actor, runnable } = await requireRunCaller(cloud.deps, proof, { slug: ada.slug, name: "helper" });
    expect([actor.org.slug, runnable]).toEqual([ada.slug, undefined]);
  });

  test("is refused with a key of another org, and with a revoked one", async () => {
    await using cloud = await startCloud(engine);
    const [ada, bo] = [await cloud.login("ada@example.com"), await cloud.login("bo@example.com")];
    await deploy(cloud, bo);
    const { id, proof } = await keyOf(cloud, ada);
    const elsewhere = requireRunCaller(cloud.deps, proof, { slug: bo.slug, name: "helper" });
    await expect(elsewhere).rejects.toMatchObject({ code: "forbidden" });
    await cloud.call("DELETE", `${ada.org}/keys/${id}`, { headers: ada.headers });
    const revoked = requireRunCaller(cloud.deps, proof, { slug: ada.slug, name: "helper" });
    await expect(revoked).rejects.toMatchObject({ code: "unauthorized" });
  });
});
