import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { keptToken } from "../../src/cli/kept-token.ts";
import { sessionFile } from "../../src/command/session-file.ts";
import { AppError } from "../../src/kit/app-error.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const refused = () => new AppError("unauthorized", "unauthorized", "Sign in again.");

/** A service with one valid access token, which counts exchanges and refuses a refresh token that was exchanged. */
function service() {
  let [valid, generation, exchanges] = ["", 0, 0];
  return {
    exchanges: () => exchanges,
    expire: () => {
      valid = "";
    },
    ask: async (accessToken: string) => {
      if (accessToken !== valid) throw refused();
    },
    async refresh(refreshToken: string) {
      exchanges++;
      if (refreshToken !== `r${generation}`) throw refused();
      generation++;
      valid = `a${generation}`;
      return { accessToken: valid, refreshToken: `r${generation}` };
    },
  };
}

test.each(["platform", "cloud"] as const)(
  "of 20 %s commands at once with an expired token, one exchanges it and all go on",
  async (name) => {
    using folder = temporaryFolder();
    const { exchanges, expire, ...remote } = service();
    const file = () => sessionFile({ dataFolder: folder.path }, name);
    file().keep({ email: "ada@example.com", accessToken: "a0", refreshToken: "r0" });
    const command = () =>
      keptToken({
        session: file(),
        url: undefined,
        ...remote,
        signInNeeded: () => new AppError("unauthorized", "x", ""),
      });
    for (const round of [1, 2]) {
      const tokens = await Promise.all(Array.from({ length: 20 }, command));
      expect([...new Set(tokens)]).toEqual([`a${round}`]);
      expect(exchanges()).toBe(round);
      expire();
    }
  },
);

test("a refused exchange asks to sign in, and a session of another address is not used", async () => {
  using folder = temporaryFolder();
  const { exchanges: _, expire: __, ...remote } = service();
  const session = sessionFile({ dataFolder: folder.path }, "platform");
  const ask = () =>
    keptToken({
      session,
      url: undefined,
      ...remote,
      signInNeeded: () => new AppError("unauthorized", "sign_in", ""),
    });
  expect(ask()).rejects.toMatchObject({ code: "sign_in" });
  session.keep({ email: "a", accessToken: "a0", refreshToken: "stolen" });
  expect(ask()).rejects.toMatchObject({ code: "sign_in" });
  session.keep({ url: "http://elsewhere", email: "a", accessToken: "a0", refreshToken: "r0" });
  expect(ask()).rejects.toMatchObject({ code: "sign_in" });
});

test("another failure of the exchange keeps the session, for the next command", async () => {
  using folder = temporaryFolder();
  const { exchanges: _, expire: __, ...remote } = service();
  const session = sessionFile({ dataFolder: folder.path }, "cloud");
  session.keep({ email: "a", accessToken: "a0", refreshToken: "r0" });
  const lost = new AppError("unavailable", "unreachable", "The answer was lost.");
  const command = (refresh: typeof remote.refresh) =>
    keptToken({ session, url: undefined, ...remote, refresh, signInNeeded: refused });
  expect(command(async () => Promise.reject(lost))).rejects.toBe(lost);
  expect(await command(remote.refresh)).toBe("a1");
});

test("the lock is released when the process that holds it is killed", async () => {
  using folder = temporaryFolder();
  const session = sessionFile({ dataFolder: folder.path }, "cloud");
  session.keep({ email: "a", accessToken: "a0", refreshToken: "r0" });
  const script = join(folder.path, "hold.ts");
  const module = join(import.meta.dirname, "../../src/command/session-file.ts");
  writeFileSync(
    script,
    `import { sessionFile } from ${JSON.stringify(module)};
await sessionFile({ dataFolder: ${JSON.stringify(folder.path)} }, "cloud").alone(async () => {
  console.log("held");
  await new Promise(() => setInterval(() => {}, 1000));
});`,
  );
  const holder = Bun.spawn([process.execPath, script], { stdout: "pipe" });
  await holder.stdout.getReader().read();
  let isDone = false;
  const turn = session.alone(async () => {
    isDone = true;
  });
  await new Promise(setImmediate);
  expect(isDone).toBe(false);
  holder.kill("SIGKILL");
  await turn;
  expect(isDone).toBe(true);
});
