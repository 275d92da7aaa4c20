import { describe, expect, test } from "bun:test";
import { SignJWT } from "jose";
import { platformService } from "../../../../src/compose/platform/service.ts";
import type { ConsoleDeps } from "../../../../src/services/console/deps.ts";
import { createPersonTokens } from "../../../../src/services/console/sessions/person-tokens.ts";
import type { ConsoleSession } from "../../../../src/services/console/sessions/session-book.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { refusal } from "../../../support/refusal.ts";

/** A platform that answers each exchange with `answer`. */
async function staged(answer: (count: number) => Response | Promise<Response>) {
  const clock = new FakeClock();
  const asked: Request[] = [];
  const changes: string[] = [];
  const app = {
    handle(request: Request) {
      asked.push(request);
      return answer(asked.length);
    },
  };
  const targets = new Map([
    ["platform", { app, console: platformService.console }],
  ]) as unknown as ConsoleDeps["targets"];
  const sessions = {
    changed: async (_session: ConsoleSession, urgency = "soon") => void changes.push(urgency),
    alone: <Result>(_session: ConsoleSession, change: () => Promise<Result>) => change(),
  } as ConsoleDeps["sessions"];
  const tokens = createPersonTokens({ targets, clock, sessions });
  const person = {
    id: "u1",
    email: "ada@example.com",
    display_name: "Ada",
    accessToken: await tokenFor(clock, 15 * 60),
    refreshToken: "first",
    operator: false,
  };
  const session: ConsoleSession = { id: "", key: "", openedAtMs: 0, usedAtMs: 0, grants: { person } };
  const request = new Request("http://localhost/", { headers: { "x-forwarded-for": "192.0.2.1" } });
  const find = () => tokens.find(session, { request, origin: { peer: "network" } });
  return { clock, asked, changes, person, session, find };
}

function tokenFor(clock: FakeClock, seconds: number): Promise<string> {
  const at = Math.floor(clock.now().getTime() / 1000) + seconds;
  return new SignJWT({}).setProtectedHeader({ alg: "HS256" }).setExpirationTime(at).sign(new Uint8Array(32));
}

const refused = (error: string, status = 401) => Response.json({ error, message: "No." }, { status });

describe("an access token", () => {
  test("is used until a minute before its end, then exchanged once for all calls at once, and kept at once", async () => {
    const next = Promise.withResolvers<Response>();
    const { clock, asked, changes, person, find } = await staged(() => next.promise);
    const first = person.accessToken;
    await clock.advance(14 * 60_000 - 1);
    expect(await find()).toBe(first);
    expect(asked).toHaveLength(0);
    await clock.advance(1);
    const waiting = [find(), find(), find()];
    const accessToken = await tokenFor(clock, 15 * 60);
    next.resolve(Response.json({ accessToken, refreshToken: "second" }));
    expect(await Promise.all(waiting)).toEqual([accessToken, accessToken, accessToken]);
    expect(asked).toHaveLength(1);
    expect(await asked[0]?.json()).toEqual({ refreshToken: "first" });
    // The platform gets the caller's address.
    expect(asked[0]?.headers.get("x-forwarded-for")).toBe("192.0.2.1");
    expect(person.refreshToken).toBe("second");
    expect(changes).toEqual(["now"]);
  });

  test("that isn't renewed signs the person out, and is never sent again", async () => {
    const { clock, asked, session, find } = await staged(() => refused("unauthorized"));
    await clock.advance(15 * 60_000);
    expect(await find()).toBeUndefined();
    expect(session.grants.person).toBeUndefined();
    expect(await find()).toBeUndefined();
    expect(asked).toHaveLength(1);
  });

  test("is tried again when the platform failed", async () => {
    const { clock, asked, session, find } = await staged((count) =>
      count === 1 ? refused("unavailable", 503) : refused("unauthorized"),
    );
    await clock.advance(15 * 60_000);
    expect((await refusal(find())).kind).toBe("unavailable");
    expect(session.grants.person).toBeDefined();
    await find();
    expect(asked).toHaveLength(2);
  });
});
