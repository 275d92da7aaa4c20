import { expect, test } from "bun:test";
import { watchApprovals } from "../../../desktop/src/approval-watch.ts";
import { texts } from "../../../desktop/src/texts.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { desktopHome, remember, startApp } from "./desktop-world.ts";
import { menuItem } from "./fake-electron.ts";

const asksFirst = `apiVersion: platform/v1
kind: Agent
metadata: {name: clerk}
spec:
  model: {primary: {provider: rehearsal, model: rehearsal}}
  prompts: {system: You file notes.}
  tools:
    - {name: cache_store, type: builtin, requires_approval: true}
`;

test("a call that waits for approval is a notification, without its input, that opens the approvals", async () => {
  using home = desktopHome();
  await Bun.write(`${home.workspace}/agents/clerk.agent.yaml`, asksFirst);
  remember(home.userData, { recent: [home.workspace] });
  const ticks: (() => void)[] = [];
  await using app = startApp(
    { userData: home.userData },
    {
      // Only the watch waits 10 s; a test lets that pass at once.
      timer(ms, fire) {
        if (ms === 10_000) {
          ticks.push(fire);
          return () => {};
        }
        const handle = setTimeout(fire, ms);
        return () => clearTimeout(handle);
      },
    },
  );
  await app.ran;
  const link = app.page();
  // As the console's page does: the link opens a session, which runs the agent.
  const session = await fetch(`${link.origin}/console/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: link.origin },
    body: JSON.stringify({ link: link.hash.replace("#open=", "") }),
  });
  expect(session.status).toBe(201);
  const { key } = (await session.json()) as { key: string };
  const cookie = session.headers.get("set-cookie")?.split(";")[0] ?? "";
  const run = await fetch(`${link.origin}/console/api/daemon/v1/agents/clerk/run`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: link.origin, cookie, "x-argosy-console": key },
    body: JSON.stringify({ query: 'set key "gate" to "secret-note" in the cache' }),
  });
  expect([run.status, await run.text()]).toMatchObject([202, expect.stringContaining("approval")]);
  for (const tick of ticks.splice(0)) tick();
  await app.until(() => app.notices.length > 0);
  expect(app.notices[0]).toMatchObject({
    title: texts.approvalTitle,
    body: texts.approvalText("clerk", "cache_store"),
  });
  expect(JSON.stringify(app.notices)).not.toContain("secret-note");
  expect(app.badge()).toBe(1);
  expect(menuItem(app.tray(), texts.waiting(1))?.enabled).toBe(true);
  app.notices[0]?.click();
  expect(app.page().pathname).toBe("/studio/approvals");
});

test("each waiting call is announced once, and a failed request for them is repeated", async () => {
  const clock = new FakeClock();
  const lists: (string[] | number)[] = [["a"], ["a", "b"], 500, ["b", "c"], []];
  const told: [string[], string[]][] = [];
  let next = Promise.withResolvers<void>();
  const stop = watchApprovals({
    async list() {
      const next = lists.shift() ?? [];
      if (typeof next === "number") throw new Error(`status ${next}`);
      return next.map((id) => ({ id, agent: "x", tool: "y" }));
    },
    timer(ms, fire) {
      const cancel = clock.timer(ms, fire);
      // The next look is set when one has ended.
      if (ms === 10_000) next.resolve();
      return cancel;
    },
    told: (waiting, fresh) => told.push([waiting.map(({ id }) => id), fresh.map(({ id }) => id)]),
  });
  for (let look = 0; look < 5; look++) {
    await next.promise;
    next = Promise.withResolvers();
    await clock.advance(10_000);
  }
  await next.promise;
  stop();
  expect(told.slice(0, 4)).toEqual([
    [["a"], ["a"]],
    [["a", "b"], ["b"]],
    [["b", "c"], ["c"]],
    [[], []],
  ]);
  expect(clock.pending).toBe(0);
});
