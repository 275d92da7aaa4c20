import { expect, test } from "bun:test";
import { startPlatform } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";
import { accounts, password } from "./account-world.ts";

const email = "ada@example.com";
const next = "ada@new.example.com";
const ask = { email: next, current: password };

onEachEngine("another e-mail address", (engine) => {
  test("takes effect when its person uses the link that an operator made", async () => {
    await using platform = await startPlatform(engine);
    const world = accounts(platform);
    const ada = await world.register(email);
    expect(
      await world.ask("POST", "/api/v1/me/email", ada, { ...ask, email: "ADA@new.example.com" }),
    ).toMatchObject({
      status: 202,
      body: { email: next, expires_at: "2026-03-17T12:00:00.000Z" },
    });
    expect((await world.login(next)).status).toBe(401);
    expect((await world.operate("GET", "/email-changes")).body.changes).toEqual([
      {
        user_id: ada.id,
        email,
        new_email: next,
        requested_at: "2026-03-10T12:00:00.000Z",
        expires_at: "2026-03-17T12:00:00.000Z",
      },
    ]);
    const link = await world.operate("POST", `/email-changes/${ada.id}/link`);
    const { token } = link.body;
    expect(link).toMatchObject({
      status: 201,
      body: { email: next, path: `/platform/account#email=${token}`, expires_at: "2026-03-11T12:00:00.000Z" },
    });
    expect(await world.ask("POST", "/api/v1/me/email/confirm", ada, { token })).toMatchObject({
      status: 200,
      body: { id: ada.id, email: next },
    });
    expect((await world.login(next)).status).toBe(200);
    expect((await world.login(email)).status).toBe(401);
    expect((await world.ask("POST", "/api/v1/me/email/confirm", ada, { token })).status).toBe(404);
    expect((await world.operate("GET", "/email-changes")).body.changes).toEqual([]);
    expect(await world.actions()).toEqual(["person.email_request", "person.email_link", "person.email"]);
  });

  test("is 404 with the link of somebody else, whom nobody tricks into an account of another", async () => {
    await using platform = await startPlatform(engine);
    const world = accounts(platform);
    const [ada, bob] = [await world.register(email), await world.register("bob@example.com")];
    await world.ask("POST", "/api/v1/me/email", ada, ask);
    const { token } = (await world.operate("POST", `/email-changes/${ada.id}/link`)).body;
    expect((await world.ask("POST", "/api/v1/me/email/confirm", bob, { token })).status).toBe(404);
    await platform.clock.advance(24 * 3_600_000);
    const late = await world.signIn(email);
    expect((await world.ask("POST", "/api/v1/me/email/confirm", late, { token })).status).toBe(404);
  });

  test("that belongs to another account is asked for with the same answer, and is 409 for the operator and at the end", async () => {
    await using platform = await startPlatform(engine);
    const world = accounts(platform);
    const ada = await world.register(email);
    const free = await world.ask("POST", "/api/v1/me/email", ada, { ...ask, email: "free@example.com" });
    await world.register("bob@example.com");
    const taken = await world.ask("POST", "/api/v1/me/email", ada, { ...ask, email: "bob@example.com" });
    expect({ ...taken.body, email: "" }).toEqual({ ...free.body, email: "" });
    expect(taken.status).toBe(free.status);
    expect(await world.operate("POST", `/email-changes/${ada.id}/link`)).toMatchObject({
      status: 409,
      body: { error: "email_taken" },
    });
    await world.ask("POST", "/api/v1/me/email", ada, ask);
    const { token } = (await world.operate("POST", `/email-changes/${ada.id}/link`)).body;
    await world.register(next);
    expect(await world.ask("POST", "/api/v1/me/email/confirm", ada, { token })).toMatchObject({
      status: 409,
      body: { error: "email_taken" },
    });
    expect((await world.login(email)).status).toBe(200);
  });

  test("needs the password (403), another address (400) and a valid one (400); nothing asked for is 404 for the operator", async () => {
    await using platform = await startPlatform(engine);
    const world = accounts(platform);
    const ada = await world.register(email);
    for (const [body, status, error] of [
      [{ ...ask, current: "wrong" }, 403, "wrong_password"],
      [{ ...ask, email }, 400, "email_unchanged"],
      [{ ...ask, email: "nobody" }, 400, "invalid_request"],
      [{ email: next }, 400, "invalid_request"],
    ] as const)
      expect(await world.ask("POST", "/api/v1/me/email", ada, body)).toMatchObject({
        status,
        body: { error },
      });
    expect((await world.operate("POST", `/email-changes/${ada.id}/link`)).status).toBe(404);
    expect(await world.actions()).toEqual([]);
  });
});
