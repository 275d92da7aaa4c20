import type { Command } from "commander";
import type { ReachedPlatform } from "../../command/parts.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { readSecret } from "../terminal/read-secret.ts";
import { accessTokenOf } from "./access-token.ts";
import { type PlatformOptions, platformCommand, withPlatform } from "./with-platform.ts";

/** The commands that start and end a session. */
export const sessionCommands = (perform: Perform) => [
  platformCommand(
    "register",
    "create an account and sign in; prompts for the password, or reads it from stdin",
  )
    .argument("<email>", "the e-mail address to sign in with")
    .option("--name <name>", "display name (the e-mail address)")
    .action((email: string, options: PlatformOptions & { name?: string }, command: Command) =>
      perform(command, (call) => signIn(call, email, options, options.name ?? email)),
    ),
  platformCommand("login", "sign in; prompts for the password, or reads it from stdin")
    .argument("<email>", "the e-mail address of the account")
    .action((email: string, options: PlatformOptions, command: Command) =>
      perform(command, (call) => signIn(call, email, options)),
    ),
  platformCommand("logout", "sign out").action((options: PlatformOptions, command: Command) =>
    perform(command, (call) => signOut(call, options)),
  ),
];

/** Signs in, or registers if `displayName` is given. */
async function signIn(
  call: CommandCall,
  email: string,
  options: PlatformOptions,
  displayName?: string,
): Promise<ExitCode> {
  const { screen } = call;
  const password = await readSecret(call, "password");
  return withPlatform(call, options, async (platform) => {
    const client = platform.as({});
    const { user, accessToken, refreshToken, passwordExpired } = await (displayName === undefined
      ? client.login({ email, password })
      : client.register({ email, password, displayName }));
    platform.session.keep({ ...placeOf(platform), email: user.email, accessToken, refreshToken });
    if (screen.json) screen.document(user);
    else {
      screen.say(`Signed in as ${user.email}.`);
      if (passwordExpired) screen.say("Choose a password of your own now: argosy platform account password");
    }
    return exitCodes.ok;
  });
}

async function signOut(call: CommandCall, options: PlatformOptions): Promise<ExitCode> {
  const { screen } = call;
  return withPlatform(call, options, async (platform) => {
    const session = platform.session.find();
    if (session !== undefined && session.url === platform.url) {
      const accessToken = await accessTokenOf(platform);
      await platform.as({ accessToken }).logout();
      platform.session.forget();
    }
    if (screen.json) screen.document({ signed_out: true });
    else screen.say("Signed out.");
    return exitCodes.ok;
  });
}

export const placeOf = ({ url }: ReachedPlatform) => (url === undefined ? {} : { url });
