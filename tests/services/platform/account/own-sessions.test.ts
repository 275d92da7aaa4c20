import { expect, test } from "bun:test";
import { startPlatform } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";
import { accounts, password } from "./account-world.ts";

const email = "ada@example.com";
const path = "/api/v1/me/sessions";

onEachEngine("own sessions", (engine) => {
  test("are listed with client, address and last use; ended and expired ones are not", async () => {
    await using platform = await startPlatform(engine);
    const world = accounts(platform);
    const first = await world.register(email);
    await world.register("bob@example.com");
    await platform.clock.advance(60_000);
    const headers = { "user-agent": `Browser ${"x".repeat(300)}` };
    await platform.call("POST", "/auth/login", { body: { email, password }, headers });
    await platform.clock.advance(60_000);
    const { refreshToken } = first;
    await platform.call("POST", "/auth/refresh", { body: { refreshToken } });
    const list = async () => (await world.ask("GET", path, first)).body.sessions;
    const [here, other] = await list();
    expect(await list()).toHaveLength(2);
    expect(here).toMatchObject({
      current: true,
      created_at: "2026-03-10T12:00:00.000Z",
      last_used_at: "2026-03-10T12:02:00.000Z",
      address: "127.0.0.1",
    });
    expect(other).toMatchObject({ current: false, last_used_at: "2026-03-10T12:01:00.000Z" });
    expect(other.client).toStartWith("Browser xxx");
    expect(other.client).toHaveLength(255);
    await platform.clock.advance(7 * 86_400_000 - 60_000);
    const late = await world.signIn(email);
    expect((await world.ask("GET", path, late)).body.sessions).toHaveLength(2);
  });

  test("end one by one (204), at once (401); another person's is 404; all others end together, and each end is audited", async () => {
    await using platform = await startPlatform(engine);
    const world = accounts(platform);
    const [ada, second, third] = [
      await world.register(email),
      await world.signIn(email),
      await world.signIn(email),
    ];
    const bob = await world.register("bob@example.com");
    const ids: { id: string; current: boolean }[] = (await world.ask("GET", path, second)).body.sessions;
    const own = ids.find(({ current }) => current)?.id ?? "";
    expect((await world.ask("DELETE", `${path}/${own}`, bob)).status).toBe(404);
    expect((await world.ask("DELETE", `${path}/nothing`, ada)).status).toBe(404);
    expect((await world.ask("DELETE", `${path}/${own}`, ada)).status).toBe(204);
    expect((await world.ask("DELETE", `${path}/${own}`, ada)).status).toBe(404);
    expect(await world.meOf(second)).toBe(401);
    expect(await world.meOf(third)).toBe(200);
    expect((await world.ask("DELETE", path, ada)).status).toBe(204);
    expect(await world.meOf(third)).toBe(401);
    expect(await world.meOf(ada)).toBe(200);
    expect(await world.meOf(bob)).toBe(200);
    expect((await world.ask("DELETE", path, ada)).status).toBe(204);
    expect(await world.actions()).toEqual(["session.end", "session.end"]);
  });
});
