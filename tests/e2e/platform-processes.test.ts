import { expect } from "bun:test";
import { executableTest, startServer } from "../support/executable.ts";
import {
  type Ask,
  asOperator,
  atPlatform,
  newTenant,
  operatorToken,
  platformServices,
  tariff,
} from "../support/platform-program.ts";
import { postgresMissing, postgresServer } from "../support/postgres.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

executableTest(
  "two processes on one PostgreSQL are one platform",
  async () => {
    using first = temporaryFolder();
    using second = temporaryFolder();
    const ring = (byte: number) => `k${byte}:${Buffer.alloc(32, byte).toString("base64")}`;
    const env = {
      DATABASE_URL: await (await postgresServer()).createDatabase(),
      ARGOSY_SEALING_KEYS: ring(1),
      ARGOSY_JWT_KEYS: ring(2),
      PLATFORM_OPERATOR_TOKEN: operatorToken,
    };
    await using one = await startServer(first.path, { services: platformServices, env });
    await using two = await startServer(second.path, { services: platformServices, env });
    const asks = [atPlatform(one), atPlatform(two)];
    await atPlatform(one)("POST", "/api/v1/admin/tariffs", { body: tariff, headers: asOperator });
    const { headers, account } = await newTenant(atPlatform(one));
    const { email, password } = account;
    expect((await atPlatform(two)("POST", "/auth/login", { body: { email, password } })).status).toBe(200);

    // The first hold takes the whole month's credits; the two processes decide together how many others fit.
    const runs = Array.from({ length: 20 }, (_, index) => ({
      ask: asks[index % 2] as Ask,
      query: `n ${index}`,
    }));
    const answers = await Promise.all(
      runs.map(({ ask, query }) => ask("POST", "/api/v1/agents/helper/run", { body: { query }, headers })),
    );
    const statuses = new Set(answers.map(({ status }) => status));
    expect([200, 402, 429]).toEqual(expect.arrayContaining([...statuses]));
    expect(statuses).toContain(200);
    const sum = answers.reduce((total, { body }) => total + (body.credits_charged_micros ?? 0), 0);
    for (const ask of asks) {
      const { credits } = (await ask("GET", "/api/v1/usage", { headers })).body;
      expect(credits).toMatchObject({ charged_micros: sum, held_micros: 0 });
    }

    const once = await Promise.all(
      [...asks, ...asks].map((ask) =>
        ask("POST", "/api/v1/agents/helper/run", {
          body: { query: "Once" },
          headers: { ...headers, "idempotency-key": "k" },
        }),
      ),
    );
    expect(once.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(once.map(({ body }) => body.invocation_id)).size).toBe(1);
    one.kill("SIGTERM");
    expect(await one.exited).toBe(0);
    expect((await atPlatform(two)("GET", "/readyz")).status).toBe(200);
  },
  postgresMissing,
);
