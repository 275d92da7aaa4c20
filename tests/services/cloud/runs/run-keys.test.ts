import { expect, test } from "bun:test";
import { type CloudPerson, deploy, draft, startCloud } from "../../../support/cloud.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

onEachEngine("the provider keys of a run", (engine) => {
  test("are those of the agent's own org and of its models' providers; a missing key is 400", async () => {
    const sent: unknown[] = [];
    await using cloud = await startCloud(engine, (deps) => ({
      ...deps,
      runtime: {
        ...deps.runtime,
        async *run(_name, run) {
          sent.push(run.provider_keys);
          yield {
            type: "ended",
            outcome: "error",
            error: { status: 502, code: "no_provider_available", message: "No provider answered." },
            usage: [],
            duration_ms: 1,
          };
        },
      },
    }));
    const people = [];
    for (const name of ["ada", "bo", "cy"]) people.push(await cloud.login(`${name}@example.com`));
    const [ada, bo, cy] = people as [CloudPerson, CloudPerson, CloudPerson];
    const give = (person: CloudPerson, provider: string, api_key: string) =>
      cloud.call("POST", `${person.org}/providers`, {
        headers: person.headers,
        body: { provider, api_key },
      });
    await give(ada, "openai", "sk-of-ada-1234567890");
    await give(bo, "openai", "sk-of-bo-1234567890");
    await give(bo, "groq", "gsk-of-bo-1234567890");
    const onOpenai = draft("helper", { step1: { model: "openai/gpt-4.1-mini" } });
    const onBoth = draft("pair", {
      step1: { model: "openai/gpt-4.1-mini", fallback_model: "groq/llama-3.3-70b-versatile" },
    });
    const run = async (person: CloudPerson, body: ReturnType<typeof draft>) => {
      const path = await deploy(cloud, person, body);
      await cloud.call("POST", `${path}/run`, { headers: person.headers, body: { query: "Hi" } });
    };
    await run(ada, onOpenai);
    await run(bo, onOpenai);
    await run(bo, onBoth);
    await run(cy, draft("helper"));
    expect(sent).toEqual([
      { openai: "sk-of-ada-1234567890" },
      { openai: "sk-of-bo-1234567890" },
      { openai: "sk-of-bo-1234567890", groq: "gsk-of-bo-1234567890" },
      {},
    ]);
    // A key that is gone is missed at the next run, with or without others.
    for (const person of [ada, bo]) {
      await cloud.call("DELETE", `${person.org}/providers/openai`, { headers: person.headers });
      const { headers, org } = person;
      const refused = await cloud.call("POST", `${org}/agents/helper/run`, {
        headers,
        body: { query: "Hi" },
      });
      expect(refused).toMatchObject({ status: 400, body: { error: "provider_key_missing" } });
    }
  });
});
