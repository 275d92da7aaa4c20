import { Command } from "commander";
import type { ControlClient } from "../../contracts/platform/clients/control-client.ts";
import type { Call, Perform } from "../call.ts";
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
    "is no operator.",
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
  platformCommand("reset-password", "print a new password for a person and end their sessions (operators)")
    .argument("<email>", "the e-mail address of the account")
    .addOption(yesOption())
    .action((email: string, options: ResetOptions, command: Command) =>
      perform(command, (call) => resetPassword(call, email, options)),
    );

interface ResetOptions extends PlatformOptions {
  yes?: boolean;
}

async function resetPassword(call: Call, email: string, options: ResetOptions): Promise<ExitCode> {
  const { screen } = call;
  requireYes(options, `This would end the sessions of ${email} and replace the password.`);
  const reset = await withOperator(call, options, (client) => client.resetPassword(email));
  if (screen.json) screen.document(reset);
  else {
    screen.print(reset.password);
    screen.say(`${reset.email} signs in with this password from now on. It is shown only here.`);
  }
  return exitCodes.ok;
}

async function listOperators(call: Call): Promise<ExitCode> {
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
  call: Call,
  change: (control: ControlClient) => Promise<object>,
  done: string,
): Promise<ExitCode> {
  const { screen } = call;
  const answer = await withControl(call, change);
  if (screen.json) screen.document(answer);
  else screen.say(done);
  return exitCodes.ok;
}
