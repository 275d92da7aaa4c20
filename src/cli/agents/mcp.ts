import { Command } from "commander";
import { AppError } from "../../kit/app-error.ts";
import { type CommandCall, type Perform, withDaemon } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { wholeNumber } from "../option-values.ts";

export const mcpCommand = (perform: Perform) => {
  const command = new Command("mcp").description("sign in to the MCP servers that agents use");
  command
    .command("login")
    .description("sign in to a server that requires OAuth")
    .argument("<agent>", "an agent's name")
    .argument("<entry>", "the name of its tool entry")
    .option(
      "--port <number>",
      "port of the redirect address, for a client that is registered with it",
      wholeNumber(65_535),
    )
    .action((agent: string, entry: string, { port }: { port?: number }, self: Command) =>
      perform(self, (call) => logIn(call, agent, entry, port)),
    );
  command
    .command("logout")
    .description("sign out: delete the stored tokens")
    .argument("<agent>", "an agent's name")
    .argument("<entry>", "the name of its tool entry")
    .action((agent: string, entry: string, _: object, self: Command) =>
      perform(self, (call) => logOut(call, agent, entry)),
    );
  return command;
};

async function logIn(call: CommandCall, agent: string, entry: string, port = 0): Promise<ExitCode> {
  const { screen, signal } = call;
  using callback = awaitCallback(signal, port);
  const done = await withDaemon(call, {}, async (client) => {
    const { authorization_url, state } = await client.beginMcpLogin(agent, entry, callback.redirectUri);
    screen.say(
      `Open this address in a browser on this machine and allow access:\n\n  ${authorization_url}\n`,
    );
    const answer = await callback.answer(state);
    return client.finishMcpLogin(agent, entry, answer);
  });
  if (screen.json) screen.document(done);
  else
    screen.say(
      `Logged in; the server is ${done.server}.${done.message === undefined ? "" : ` ${done.message}`}`,
    );
  return exitCodes.ok;
}

async function logOut(call: CommandCall, agent: string, entry: string): Promise<ExitCode> {
  const done = await withDaemon(call, {}, (client) => client.forgetMcpLogin(agent, entry));
  if (call.screen.json) call.screen.document(done);
  else call.screen.say("Logged out.");
  return exitCodes.ok;
}

interface CallbackAnswer {
  state: string;
  code: string;
  iss?: string;
}

/** Listens on loopback for the browser's redirect from the authorization server. */
function awaitCallback(signal: AbortSignal, port: number) {
  const { promise, resolve, reject } = Promise.withResolvers<CallbackAnswer>();
  // A caller that waits sees the rejection; there may be none yet.
  promise.catch(() => undefined);
  let expected: string | undefined;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port,
    fetch(request) {
      const url = new URL(request.url);
      if (request.method !== "GET" || url.pathname !== "/callback") return page("Not found.", 404);
      const { state, code, error, iss } = Object.fromEntries(url.searchParams);
      // Any page may send a browser here; only the one that was asked knows the state.
      if (state === undefined || state !== expected)
        return page("No sign-in is waiting for this answer.", 400);
      if (code === undefined) {
        reject(refused(error));
        return page("The sign-in was refused.", 400);
      }
      resolve({ state, code, ...(iss === undefined ? {} : { iss }) });
      return page("You are signed in. You can close this window.", 200);
    },
  });
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  return {
    redirectUri: `http://127.0.0.1:${server.port}/callback`,
    answer(state: string): Promise<CallbackAnswer> {
      expected = state;
      return promise;
    },
    [Symbol.dispose]: () => void server.stop(),
  };
}

function page(text: string, status: number): Response {
  return new Response(`${text}\n`, { status, headers: { "content-type": "text/plain; charset=utf-8" } });
}

function refused(error: string | undefined): AppError {
  const reason = /^[a-z_]{1,40}$/.test(error ?? "") ? ` (${error})` : "";
  return new AppError(
    "forbidden",
    "mcp_login_refused",
    `The authorization server refused the login${reason}.`,
  );
}
