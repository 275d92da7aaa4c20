import type { Command } from "commander";
import type { MemberRole } from "../../contracts/cloud/orgs.ts";
import type { Perform } from "../call.ts";
import { type CloudOptions, orgCommand, performShown } from "./with-cloud.ts";

type InvitedRole = Exclude<MemberRole, "owner">;

/** The commands for an org and its members. */
export const memberCommands = (perform: Perform) => [
  orgCommand("rename", "give the org another display name")
    .argument("<name>", "the display name")
    .action((name: string, options: CloudOptions, command: Command) =>
      performShown(perform, command, options, {
        ask: (client, org) => client.renameOrg(org, name),
        show: (screen, org) => screen.say(`${org.slug} is now named ${org.display_name}.`),
      }),
    ),
  orgCommand("members", "list members and open invitations").action(
    (options: CloudOptions, command: Command) =>
      performShown(perform, command, options, {
        ask: (client, org) => client.members(org),
        show: (screen, { members }) =>
          screen.table(
            ["ID", "E-MAIL", "NAME", "ROLE", "STATUS"],
            members.map(({ id, email, name, role, status }) => [id, email, name, role, status]),
          ),
      }),
  ),
  orgCommand("invite", "invite a person by e-mail")
    .argument("<email>", "the person's e-mail address")
    .option("--role <role>", "member or admin (member)")
    .action((email: string, { role, ...options }: CloudOptions & { role?: InvitedRole }, command: Command) =>
      performShown(perform, command, options, {
        ask: (client, org) => client.invite(org, { email, role: role ?? "member" }),
        show: (screen, { id, email: invited, role: as }) =>
          screen.say(
            `Invited ${invited} as ${as}. Nothing is mailed: once signed in, they join with \`argosy cloud accept ${id}\`.`,
          ),
      }),
    ),
  orgCommand("remove", "remove a member, or withdraw an invitation")
    .argument("<id>", "the member's id")
    .action((id: string, options: CloudOptions, command: Command) =>
      performShown(perform, command, options, {
        ask: async (client, org) => {
          await client.removeMember(org, id);
          return { removed: id };
        },
        show: (screen) => screen.say(`Removed ${id}.`),
      }),
    ),
  orgCommand("audit", "list changes to the org, newest first").action(
    (options: CloudOptions, command: Command) =>
      performShown(perform, command, options, {
        ask: (client, org) => client.audit(org),
        show: (screen, { entries }) =>
          screen.table(
            ["AT", "ACTOR", "ACTION", "SUBJECT"],
            entries.map(({ at, actor, action, subject }) => [at, actor, action, subject ?? ""]),
          ),
      }),
  ),
];
