import { expect, test } from "bun:test";
import { type CloudPerson, deploy, startCloud, type TestCloud } from "../../../support/cloud.ts";
import { evalOf } from "../../../support/hosted-evals.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

/** The lists of an org, and its agent. */
const read = [
  "/agents",
  "/agents/helper",
  "/keys",
  "/members",
  "/providers",
  "/evals",
  "/eval-runs",
  "/usage",
  "/audit",
] as const;

/** Gives an org one row of each kind. Both orgs of the test use the same names. */
async function fill(cloud: TestCloud, { org, headers }: CloudPerson): Promise<void> {
  const send = async (method: string, path: string, body: unknown) => {
    const { status, text } = await cloud.call(method, `${org}${path}`, { headers, body });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  };
  await send("POST", "/keys", { name: "ci" });
  await send("POST", "/providers", { provider: "openai", api_key: "sk-0123456789abcdef" });
  await send("PUT", "/evals/smoke", evalOf("smoke", ["hello"], { agent: "helper" }));
  await send("POST", "/evals/smoke/runs", {});
  await send("POST", "/agents/helper/run", { query: "hi" });
  await send("POST", "/members/invite", { email: "carl@example.com", role: "admin" });
}

onEachEngine("what an org reads", (engine) => {
  test("is the same before and after another org gets rows of every kind under the same names", async () => {
    await using cloud = await startCloud(engine);
    const [ada, bob] = [await cloud.login("ada@example.com"), await cloud.login("bob@example.com")];
    await deploy(cloud, ada);
    await fill(cloud, ada);
    await cloud.clock.advance(1000);
    const seen = async () => {
      const answers = [];
      for (const path of read) {
        const { status, body } = await cloud.call("GET", `${ada.org}${path}`, { headers: ada.headers });
        answers.push({ path, status, body });
      }
      return answers;
    };
    const before = await seen();
    expect(before.map(({ path, status }) => `${path} ${status}`)).toEqual(read.map((path) => `${path} 200`));
    await deploy(cloud, bob);
    await fill(cloud, bob);
    expect(await seen()).toEqual(before);
    // The later of two rows with one name is found too.
    const { body } = await cloud.call("GET", `${bob.org}/agents/helper`, { headers: bob.headers });
    expect(body.created_at).toBe(cloud.clock.now().toISOString());
  });
});
