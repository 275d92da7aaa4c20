import type { CloudClient } from "../../contracts/cloud/client.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { requireYes, yesOption } from "../option-values.ts";
import { type CloudOptions, cloudCommand, withCloud, withPerson } from "./with-cloud.ts";

/** The commands for the own account: its sessions, and its end. */
export const accountCommands = (perform: Perform) => [
  cloudCommand("sessions", "list your sessions, the last used first").action(
    (options: CloudOptions, command) => perform(command, (call) => listSessions(call, options)),
  ),
  cloudCommand("end-session", "end a session; its tokens stop working at once")
    .argument("<id>", "the session's id")
    .action((id: string, options: CloudOptions, command) =>
      perform(command, (call) =>
        done(call, options, (client) => client.endSession(id), {
          document: { id, ended: true },
          text: "Ended the session.",
        }),
      ),
    ),
  cloudCommand("end-other-sessions", "end all sessions but this one").action(
    (options: CloudOptions, command) =>
      perform(command, (call) =>
        done(call, options, (client) => client.endOtherSessions(), {
          document: { ended: true },
          text: "Ended all other sessions.",
        }),
      ),
  ),
  cloudCommand("delete-account", "delete your account and leave its orgs; your API keys end")
    .addOption(yesOption())
    .action((options: CloudOptions & { yes?: boolean }, command) =>
      perform(command, (call) => deleteAccount(call, options)),
    ),
];

async function listSessions(call: CommandCall, options: CloudOptions): Promise<ExitCode> {
  const { screen } = call;
  const list = await withPerson(call, options, (client) => client.listSessions());
  if (screen.json) screen.document(list);
  else
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
  return exitCodes.ok;
}

async function deleteAccount(
  call: CommandCall,
  options: CloudOptions & { yes?: boolean },
): Promise<ExitCode> {
  const { screen } = call;
  const { email } = await withPerson(call, options, (client) => client.me());
  requireYes(
    options,
    `This would delete the account ${email}, leave its orgs and revoke the API keys made by it.`,
  );
  await withPerson(call, options, (client) => client.deleteAccount());
  await withCloud(call, options, async ({ session }) => session.forget());
  if (screen.json) screen.document({ deleted: true });
  else screen.say("Deleted the account.");
  return exitCodes.ok;
}

/** Runs a change that answers nothing, and says what is done. */
async function done(
  call: CommandCall,
  options: CloudOptions,
  change: (client: CloudClient) => Promise<unknown>,
  { document, text }: { document: object; text: string },
): Promise<ExitCode> {
  const { screen } = call;
  await withPerson(call, options, change);
  if (screen.json) screen.document(document);
  else screen.say(text);
  return exitCodes.ok;
}
