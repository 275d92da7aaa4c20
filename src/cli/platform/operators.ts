import { Command } from "commander";
import type { AccountLink } from "../../contracts/platform/auth.ts";
import type { ControlClient } from "../../contracts/platform/clients/control-client.ts";
import { type CommandCall, type Perform, readConfig } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { requireYes, yesOption } from "../option-values.ts";
import { paint } from "../terminal/paint.ts";
import { type PlatformOptions, platformCommand, withControl, withOperator } from "./with-platform.ts";

export const operatorCommand = (perform: Perform) => {
  const command = new Command("operator").description("manage operators (on the platform's own machine)");
  command
    .command("list", { isDefault: true })
    .description("list the operators")
    .action((_: object, self: Command) => perform(self, listOperators));
  for (const [name, description, change, done] of changes) {
    command
      .command(name)
      .description(description)
      .argument("<email>", "the e-mail address of the account")
      .action((email: string, _: object, self: Command) =>
        perform(self, (call) => changed(call, (control) => change(control, email), `${email} ${done}`)),
      );
  }
  return command;
};

const changes: readonly [
  string,
  string,
  (control: ControlClient, email: string) => Promise<object>,
  string,
][] = [
  [
    "grant",
    "grant the operator role to an account",
    (control, email) => control.grantOperator(email),
    "is an operator.",
  ],
  [
    "revoke",
    "revoke the operator role and end the account's sessions",
    (control, email) => control.revokeOperator(email),
    "is not an operator.",
  ],
];

export const inviteCommand = (perform: Perform) =>
  new Command("invite")
    .description("invite a person to register (on the platform's own machine)")
    .argument("<email>", "the e-mail address to register with")
    .action((email: string, _: object, command: Command) =>
      perform(command, (call) => changed(call, (control) => control.invite(email), `${email} may register.`)),
    );

export const resetPasswordCommand = (perform: Perform) =>
  platformCommand(
    "reset-password",
    "print a link with which a person chooses a new password, and end their sessions (operators)",
  )
    .argument("<email>", "the e-mail address of the account")
    .option("--password", "print a password instead, which the person must change at the next sign-in")
    .addOption(yesOption())
    .action((email: string, options: ResetOptions, command: Command) =>
      perform(command, (call) => resetPassword(call, email, options)),
    );

export const emailChangesCommand = (perform: Perform) =>
  new Command("email-changes")
    .description("confirm the e-mail addresses that people asked for (operators)")
    .addCommand(
      platformCommand("list", "list changes of e-mail addresses that people asked for").action(
        (options: PlatformOptions, command: Command) =>
          perform(command, (call) => listEmailChanges(call, options)),
      ),
      { isDefault: true },
    )
    .addCommand(
      platformCommand("link", "print the link that confirms a new address, to be sent to that address")
        .argument("<person>", "the person's present e-mail address or id")
        .action((person: string, options: PlatformOptions, command: Command) =>
          perform(command, (call) => issueEmailLink(call, person, options)),
        ),
    );

interface ResetOptions extends PlatformOptions {
  yes?: boolean;
  password?: boolean;
}

async function resetPassword(call: CommandCall, email: string, options: ResetOptions): Promise<ExitCode> {
  const { screen } = call;
  requireYes(options, `This would end the sessions of ${email} and replace the password.`);
  if (options.password !== true) {
    const link = await withOperator(call, options, (client) => client.issuePasswordLink(email));
    return printLink(call, link, `${link.email} chooses a new password with it.`, options);
  }
  const reset = await withOperator(call, options, (client) => client.resetPassword(email));
  if (screen.json) screen.document(reset);
  else {
    screen.print(reset.password);
    screen.say(`${reset.email} signs in with this password and must change it then. It is shown only here.`);
  }
  return exitCodes.ok;
}

async function printLink(
  call: CommandCall,
  link: AccountLink,
  use: string,
  { url }: PlatformOptions,
): Promise<ExitCode> {
  const { screen } = call;
  if (screen.json) screen.document(link);
  else {
    const { services, variable } = await readConfig(call);
    const { host = "127.0.0.1", port = 8080 } = services.platform ?? {};
    const base = url ?? (variable("ARGOSY_PLATFORM_URL") || `http://${host}:${port}`);
    screen.print(`${base.replace(/\/$/, "")}${link.path}`);
    if (link.mailed) screen.say(`This link is on its way to ${link.email} by e-mail.`);
    screen.say(`${use} It works once, until ${link.expires_at}.`);
    screen.say("If people reach the platform under another address, replace the part before /platform.");
  }
  return exitCodes.ok;
}

async function listEmailChanges(call: CommandCall, options: PlatformOptions): Promise<ExitCode> {
  const { screen } = call;
  const list = await withOperator(call, options, (client) => client.listEmailChanges());
  if (screen.json) screen.document(list);
  else if (list.changes.length === 0) screen.say("No open requests.");
  else {
    screen.table(
      ["E-MAIL", "NEW E-MAIL", "EXPIRES", "ID"],
      list.changes.map(({ email, new_email, expires_at, user_id }) => [
        email,
        new_email,
        expires_at,
        user_id,
      ]),
    );
  }
  return exitCodes.ok;
}

async function issueEmailLink(
  call: CommandCall,
  person: string,
  options: PlatformOptions,
): Promise<ExitCode> {
  const link = await withOperator(call, options, async (client) => {
    const { changes } = await client.listEmailChanges();
    const change = changes.find(({ email, user_id }) => email === person.toLowerCase() || user_id === person);
    return client.issueEmailLink(change?.user_id ?? person);
  });
  return printLink(
    call,
    link,
    `Send it to ${link.email}: who opens it while signed in gets that address.`,
    options,
  );
}

async function listOperators(call: CommandCall): Promise<ExitCode> {
  const { screen } = call;
  const list = await withControl(call, (control) => control.listOperators());
  if (screen.json) screen.document(list);
  else if (list.operators.length === 0)
    screen.say("No operators. Add one with `argosy platform operator grant <email>`.");
  else {
    screen.table(
      ["EMAIL", "NAME", "ID"],
      list.operators.map((one) => [paint("bold", one.email), one.displayName, one.userId]),
    );
  }
  return exitCodes.ok;
}

async function changed(
  call: CommandCall,
  change: (control: ControlClient) => Promise<object>,
  done: string,
): Promise<ExitCode> {
  const { screen } = call;
  const answer = await withControl(call, change);
  if (screen.json) screen.document(answer);
  else screen.say(done);
  return exitCodes.ok;
}
