import { Command } from "commander";
import type { PlatformClient } from "../../contracts/platform/clients/client.ts";
import { keysMadeBy } from "../../contracts/platform/clients/keys-made-by.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { memberKeysText, requireYes, yesOption } from "../option-values.ts";
import { readSecret, readSecrets } from "../terminal/read-secret.ts";
import { placeOf } from "./session.ts";
import { type PlatformOptions, platformCommand, withPerson, withPlatform } from "./with-platform.ts";

/** Commands for a person's own account. */
export const accountCommand = (perform: Perform) => {
  const command = new Command("account").description("your own account: password, e-mail and sessions");
  const add = (
    [name, argument, description]: readonly [string, string | undefined, string],
    run: (call: CommandCall, options: PlatformOptions, value: string) => Promise<ExitCode>,
    isDefault = false,
  ) => {
    const inner = platformCommand(name, description);
    if (argument !== undefined) inner.argument(`<${argument}>`);
    inner.action((...all: unknown[]) => {
      const self = all.at(-1) as Command;
      const value = argument === undefined ? "" : String(all[0]);
      return perform(self, (call) => run(call, all.at(-2) as PlatformOptions, value));
    });
    command.addCommand(inner, { isDefault });
  };
  add(["show", undefined, "show the account"], showAccount, true);
  add(
    [
      "password",
      undefined,
      "change the password and end the other sessions; prompts, or reads two lines of stdin",
    ],
    changePassword,
  );
  add(["use-link", "token", "choose a password with an operator's link, and sign in"], usePasswordLink);
  add(["email", "address", "ask for another e-mail address; prompts for the password"], requestEmail);
  add(["confirm-email", "token", "change the e-mail address by the token of its link"], confirmEmail);
  add(["sessions", undefined, "list your sessions, the last used first"], listSessions);
  add(["end-session", "id", "end a session; its tokens stop working at once"], endSession);
  add(["end-other-sessions", undefined, "end all sessions but this one"], endOtherSessions);
  command.addCommand(
    platformCommand("delete", "delete your account and leave its tenants")
      .addOption(yesOption())
      .action((options: PlatformOptions & { yes?: boolean }, self: Command) =>
        perform(self, (call) => deleteAccount(call, options)),
      ),
  );
  return command;
};

async function showAccount(call: CommandCall, options: PlatformOptions): Promise<ExitCode> {
  const { screen } = call;
  const { id, email, displayName } = await withPerson(call, options, (client) => client.me());
  if (screen.json) screen.document({ id, email, displayName });
  else screen.table(["E-MAIL", "NAME", "ID"], [[email, displayName, id]]);
  return exitCodes.ok;
}

async function changePassword(call: CommandCall, options: PlatformOptions): Promise<ExitCode> {
  const secrets = await readSecrets(call, ["current password", "new password"]);
  const change = { current: secrets["current password"], new: secrets["new password"] };
  return done(call, options, (client) => client.changePassword(change), {
    document: { changed: true },
    text: "Changed the password. Other sessions have ended.",
  });
}

async function usePasswordLink(call: CommandCall, options: PlatformOptions, link: string): Promise<ExitCode> {
  const { screen } = call;
  const password = await readSecret(call, "new password");
  return withPlatform(call, options, async (platform) => {
    const { user, accessToken, refreshToken } = await platform
      .as({})
      .usePasswordLink({ token: tokenIn(link), password });
    platform.session.keep({ ...placeOf(platform), email: user.email, accessToken, refreshToken });
    if (screen.json) screen.document(user);
    else screen.say(`Set the password. Signed in as ${user.email}.`);
    return exitCodes.ok;
  });
}

async function requestEmail(call: CommandCall, options: PlatformOptions, email: string): Promise<ExitCode> {
  const { screen } = call;
  const current = await readSecret(call, "password");
  const asked = await withPerson(call, options, (client) => client.requestEmail({ email, current }));
  if (screen.json) screen.document(asked);
  else {
    const sender = asked.mailed ? "is on its way there" : "an operator sends there";
    screen.say(`Asked for ${asked.email}. It changes when you use the link that ${sender}.`);
  }
  return exitCodes.ok;
}

async function confirmEmail(call: CommandCall, options: PlatformOptions, link: string): Promise<ExitCode> {
  const { screen } = call;
  const user = await withPerson(call, options, (client) => client.confirmEmail(tokenIn(link)));
  await withPlatform(call, options, async ({ session }) => {
    const login = session.find();
    if (login !== undefined) session.keep({ ...login, email: user.email });
  });
  if (screen.json) screen.document(user);
  else screen.say(`Your e-mail address is ${user.email} now.`);
  return exitCodes.ok;
}

async function listSessions(call: CommandCall, options: PlatformOptions): Promise<ExitCode> {
  const { screen } = call;
  const list = await withPerson(call, options, (client) => client.listSessions());
  if (screen.json) screen.document(list);
  else {
    screen.table(
      ["ID", "LAST USED", "SIGNED IN", "ADDRESS", "CLIENT"],
      list.sessions.map(({ id, created_at, last_used_at, address, client, current }) => [
        current ? `${id} (this one)` : id,
        last_used_at,
        created_at,
        address ?? "unknown",
        client ?? "unknown",
      ]),
    );
  }
  return exitCodes.ok;
}

const endSession = (call: CommandCall, options: PlatformOptions, id: string): Promise<ExitCode> =>
  done(call, options, (client) => client.endSession(id), {
    document: { id, ended: true },
    text: "Ended the session.",
  });

const endOtherSessions = (call: CommandCall, options: PlatformOptions): Promise<ExitCode> =>
  done(call, options, (client) => client.endOtherSessions(), {
    document: { ended: true },
    text: "Ended all other sessions.",
  });

async function deleteAccount(
  call: CommandCall,
  options: PlatformOptions & { yes?: boolean },
): Promise<ExitCode> {
  const keys = await withPerson(call, options, async (client) => {
    const made = await keysMadeBy(client, (await client.me()).email);
    const effect = memberKeysText("It would revoke", made);
    requireYes(options, `This would delete your account and leave its tenants.${effect}`);
    await client.deleteAccount();
    return made;
  });
  await withPlatform(call, options, async ({ session }) => session.forget());
  const { screen } = call;
  if (screen.json) screen.document({ deleted: true, revoked_keys: keys });
  else screen.say(`Deleted the account.${memberKeysText("Revoked", keys)}`);
  return exitCodes.ok;
}

/** Runs a change that answers nothing, and says what is done. */
async function done(
  call: CommandCall,
  options: PlatformOptions,
  change: (client: PlatformClient) => Promise<unknown>,
  { document, text }: { document: object; text: string },
): Promise<ExitCode> {
  const { screen } = call;
  await withPerson(call, options, change);
  if (screen.json) screen.document(document);
  else screen.say(text);
  return exitCodes.ok;
}

/** The token of a link; a whole link may be pasted. */
const tokenIn = (link: string): string => link.replace(/^.*[#?](?:password|email)=/, "");
