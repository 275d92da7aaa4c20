import { expect, test } from "bun:test";
import { deploy, startCloud } from "../../../support/cloud.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

onEachEngine("what runs of the cloud store", (engine) => {
  test.each([
    ["test", {}, "nothing"],
    ["test", { session_id: "s1" }, "apart"],
    ["run", {}, undefined],
    ["run", { session_id: "s1" }, undefined],
  ] as const)("a %s with %j asks the runtime to remember %s", async (route, more, remember) => {
    await using cloud = await startCloud(engine);
    const ada = await cloud.login("ada@example.com");
    const path = await deploy(cloud, ada);
    const answer = await cloud.call("POST", `${path}/${route}`, {
      headers: ada.headers,
      body: { query: "hi", ...more },
    });
    expect(answer.status).toBe(200);
    const { run } = cloud.runtime.runs.at(-1) ?? {};
    expect(run?.remember).toBe(remember);
    if ("session_id" in more) expect(run?.session_id).toBe("s1");
    // The usage and the limit of tests stay as documented.
    const { body } = await cloud.call("GET", `${ada.org}/usage`, { headers: ada.headers });
    expect(body.total_requests).toBe(route === "run" ? 1 : 0);
  });
});
