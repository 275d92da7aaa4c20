import type { Command } from "commander";
import type { ReachedCloud } from "../../command/parts.ts";
import type { CloudTokens } from "../../contracts/cloud/auth.ts";
import { AppError } from "../../kit/app-error.ts";
import { systemClock } from "../../kit/clock.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { usageError } from "../terminal/report-error.ts";
import { type CloudOptions, cloudCommand, withCloud, withPerson } from "./with-cloud.ts";

interface LoginOptions extends CloudOptions {
  name?: string;
  google?: true;
  github?: true;
}

/** The commands for a person's session, orgs and invitations. */
export const sessionCommands = (perform: Perform) => [
  cloudCommand("login", "sign in with Google or GitHub, or by the development login")
    .argument("[email]", "for the development login")
    .option("--name <name>", "display name of a new account of the development login (the e-mail address)")
    .option("--google", "sign in on a page of Google")
    .option("--github", "sign in on a page of GitHub")
    .action((email: string | undefined, options: LoginOptions, command: Command) =>
      perform(command, (call) => login(call, email, options)),
    ),
  cloudCommand("logout", "sign out").action((options: CloudOptions, command: Command) =>
    perform(command, (call) => logout(call, options)),
  ),
  cloudCommand("orgs", "list the orgs of the signed-in person").action(
    (options: CloudOptions, command: Command) => perform(command, (call) => orgs(call, options)),
  ),
  cloudCommand("invitations", "list the open invitations of the signed-in person").action(
    (options: CloudOptions, command: Command) => perform(command, (call) => invitations(call, options)),
  ),
  cloudCommand("accept", "join the org of an invitation")
    .argument("<id>", "the invitation's id")
    .action((id: string, options: CloudOptions, command: Command) =>
      perform(command, (call) => accept(call, id, options)),
    ),
  cloudCommand("decline", "decline an invitation")
    .argument("<id>", "the invitation's id")
    .action((id: string, options: CloudOptions, command: Command) =>
      perform(command, (call) => decline(call, id, options)),
    ),
  cloudCommand("create-org", "create an org, whose owner you are")
    .argument("<name>", "the display name")
    .action((name: string, options: CloudOptions, command: Command) =>
      perform(command, (call) => createOrg(call, name, options)),
    ),
];

async function login(call: CommandCall, email: string | undefined, options: LoginOptions): Promise<ExitCode> {
  const { screen } = call;
  const vendor = options.google ? "google" : options.github ? "github" : undefined;
  if ((vendor === undefined) === (email === undefined) || (options.google && options.github))
    throw usageError("Name one way to sign in.", "Give an e-mail address, --google or --github.");
  return withCloud(call, options, async (cloud) => {
    const client = cloud.as({});
    const tokens =
      vendor === undefined
        ? await client.devLogin({ email: email ?? "", name: options.name ?? email ?? "" })
        : await signInOnPage(call, client, vendor);
    const { org_slug: org, access_token: accessToken, refresh_token: refreshToken } = tokens;
    const place = cloud.url === undefined ? {} : { url: cloud.url };
    cloud.session.keep({ ...place, org, email: email ?? vendor ?? "", accessToken, refreshToken });
    if (screen.json) screen.document({ org_slug: org });
    else screen.say(`Signed in to the org ${org}.`);
    return exitCodes.ok;
  });
}

/** Opens a page on this machine that the vendor sends the browser back to, and finishes the sign-in with what it brings. */
async function signInOnPage(
  { screen, signal }: CommandCall,
  client: ReturnType<ReachedCloud["as"]>,
  vendor: "google" | "github",
): Promise<CloudTokens> {
  const returned = Promise.withResolvers<{ code: string; state: string }>();
  // The sign-in may fail before anything waits for the page.
  returned.promise.catch(() => {});
  let expected: string | undefined;
  const page = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { searchParams } = new URL(request.url);
      const sent = (name: string) => searchParams.get(name) ?? "";
      const [code, state, error] = [sent("code"), sent("state"), sent("error")];
      // Any page that the browser shows can call this address, so only the state of this sign-in counts.
      if (state === "" || state !== expected)
        return new Response("This is not the sign-in that the terminal waits for.", { status: 400 });
      if (code !== "") returned.resolve({ code, state });
      else returned.reject(refused(vendor, error));
      return new Response("You can close this page and return to the terminal.");
    },
  });
  const stop = () =>
    returned.reject(new AppError("unavailable", "interrupted", "The sign-in was interrupted."));
  signal.addEventListener("abort", stop, { once: true });
  let cancelTimer = () => {};
  try {
    const redirect_uri = `http://127.0.0.1:${page.port}/`;
    const start = vendor === "google" ? client.startGoogle : client.startGithub;
    const { authorization_url, state, expires_in } = await start({ redirect_uri });
    expected = state;
    cancelTimer = systemClock.timer(expires_in * 1000, () => returned.reject(tooLate(expires_in)));
    screen.say(`Open this page in your browser:\n${authorization_url}`);
    const back = await returned.promise;
    return await (vendor === "google" ? client.google(back) : client.github(back));
  } finally {
    cancelTimer();
    signal.removeEventListener("abort", stop);
    await page.stop();
  }
}

/** For a vendor's page that came back without a code, for example because the person declined. */
function refused(vendor: "google" | "github", error: string): AppError {
  const reason = error === "" ? "no code" : error.replace(/[^\w.-]/g, "").slice(0, 100);
  const name = vendor === "google" ? "Google" : "GitHub";
  return new AppError("unauthorized", "unauthorized", `${name} did not confirm the sign-in: ${reason}.`, {
    details: { hint: "Run the command again." },
  });
}

const tooLate = (seconds: number) =>
  new AppError("timed_out", "sign_in_timeout", `The sign-in took longer than ${seconds} seconds.`, {
    details: { hint: "Run the command again." },
  });

async function logout(call: CommandCall, options: CloudOptions): Promise<ExitCode> {
  const { screen } = call;
  const isSignedIn = await withCloud(call, options, async ({ session, url }) => session.find()?.url === url);
  if (isSignedIn) {
    await withPerson(call, options, async (client, { session }) => {
      await client.logout();
      session.forget();
    });
  }
  if (screen.json) screen.document({ signed_out: true });
  else screen.say("Signed out.");
  return exitCodes.ok;
}

async function orgs(call: CommandCall, options: CloudOptions): Promise<ExitCode> {
  const { screen } = call;
  const list = await withPerson(call, options, (client) => client.orgs());
  if (screen.json) screen.document(list);
  else
    screen.table(
      ["SLUG", "NAME", "PLAN", "YOUR ROLE"],
      list.orgs.map(({ slug, display_name, plan, role }) => [slug, display_name, plan, role]),
    );
  return exitCodes.ok;
}

async function invitations(call: CommandCall, options: CloudOptions): Promise<ExitCode> {
  const { screen } = call;
  const list = await withPerson(call, options, (client) => client.invitations());
  if (screen.json) screen.document(list);
  else if (list.invitations.length === 0) screen.say("No open invitations.");
  else
    screen.table(
      ["ID", "ORG", "ROLE", "EXPIRES"],
      list.invitations.map(({ id, org_slug, role, expires_at }) => [id, org_slug, role, expires_at]),
    );
  return exitCodes.ok;
}

async function accept(call: CommandCall, id: string, options: CloudOptions): Promise<ExitCode> {
  const { screen } = call;
  const org = await withPerson(call, options, (client) => client.acceptInvitation(id));
  if (screen.json) screen.document(org);
  else screen.say(`You joined ${org.slug}.`);
  return exitCodes.ok;
}

async function decline(call: CommandCall, id: string, options: CloudOptions): Promise<ExitCode> {
  const { screen } = call;
  await withPerson(call, options, (client) => client.declineInvitation(id));
  if (screen.json) screen.document({ declined: id });
  else screen.say("Declined the invitation.");
  return exitCodes.ok;
}

async function createOrg(call: CommandCall, name: string, options: CloudOptions): Promise<ExitCode> {
  const { screen } = call;
  const org = await withPerson(call, options, (client) => client.createOrg(name));
  if (screen.json) screen.document(org);
  else {
    screen.print(org.slug);
    screen.say(`Created ${org.display_name}. Use it with --org ${org.slug} or ARGOSY_CLOUD_ORG.`);
  }
  return exitCodes.ok;
}
