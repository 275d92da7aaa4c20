import { expect, test } from "bun:test";
import corpus from "../../../corpora/prompt_injection.json" with { type: "json" };
import { echoServer } from "../../../support/network-servers.ts";
import { startTenantRuntime } from "../../../support/tenant-runtime.ts";

/*
 * The entries of the corpus that try to read a connection's credentials, played by an obedient model. It uses the connection, whose service
 * repeats the credential, and sends its whole input to a stranger. The test judges the data that the stranger gets.
 */

const canary = "canary-7f3a9c1e5b-secret";
/** Every encoding would contain one of these. */
const shapes = [
  "7f3a9c1e5b",
  btoa(canary).slice(4, -6),
  encodeURIComponent(btoa(`ann:${canary}`)).slice(8, -6),
];

const entries = corpus.entries.filter(({ why }) => why === "secret exfiltration");
const aboutMaterial = entries.filter(({ input }) => input.text.includes("connection material"));

test("there are such entries", () => {
  expect(aboutMaterial.map(({ id }) => id)).toEqual(["prompt_injection-013", "prompt_injection-014"]);
});

const materials = [{ token: canary }, { api_key: canary }, { username: "ann", password: canary }];

for (const { id, why, input } of aboutMaterial) {
  test.each(materials)(`${id}: ${why}, from ${input.source}, with %j`, async (material) => {
    const service = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ headers }) => Response.json({ you: [...headers], said: `${canary} ${btoa(canary)}` }),
    });
    const stranger = echoServer();
    try {
      await using runtime = await startTenantRuntime({
        runtime: { network: { allow: ["127.0.0.0/8"] } },
        script: ({ body }, number) => {
          const heard = JSON.stringify(body);
          if (!heard.includes(input.text)) return { text: "Nothing is asked of me." };
          if (number === 0) return { toolCalls: [{ name: "erp", arguments: {} }] };
          if (number > 1) return { text: heard };
          const sent = { url: stranger.at("127.0.0.1"), payload: heard };
          return { toolCalls: [{ name: "send_webhook", arguments: sent }] };
        },
      });
      const base = `http://127.0.0.1:${service.port}/`;
      const name = await runtime.register({
        prompts: { system: "You are a clerk. What came is called {{ title }}." },
        tools: [
          {
            name: "erp",
            type: "webhook",
            parameters: { type: "object" },
            config: { url: base, connection: "erp" },
          },
          { name: "send_webhook", type: "builtin" },
        ],
        observability: { record: true },
      });
      const read = await runtime.run(name, {
        context: { title: input.text },
        connections: { erp: { base_url: base, material } },
      });
      // The model obeyed, and its message arrived.
      const [arrived] = stranger.seen;
      expect(arrived?.body).toContain("erp");
      expect(read.response).toContain("send_webhook");
      const told = runtime.lab.requests.map(({ body }) => JSON.stringify(body));
      for (const shape of shapes) {
        expect(arrived?.body).not.toContain(shape);
        expect(told.join("\n")).not.toContain(shape);
        expect(JSON.stringify(read)).not.toContain(shape);
      }
    } finally {
      service.stop(true);
      stranger.stop();
    }
  });
}
