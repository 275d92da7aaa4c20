import { Argument, type Command } from "commander";
import type { OrgMemberRole } from "../../contracts/cloud/orgs.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Perform } from "../call.ts";
import { memberKeysText, requireYes, yesOption } from "../option-values.ts";
import { type CloudOptions, orgCommand, performShown, type SignedInCloud } from "./with-cloud.ts";

type InvitedRole = Exclude<OrgMemberRole, "owner">;
type RemoveOptions = CloudOptions & { yes?: true; keepKeys?: boolean };

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
  orgCommand("role", "change the role of a member")
    .argument("<id>", "the member's id")
    .addArgument(new Argument("<role>", "the new role").choices(["owner", "admin", "member"]))
    .action((id: string, role: OrgMemberRole, options: CloudOptions, command: Command) =>
      performShown(perform, command, options, {
        ask: (client, org) => client.changeRole(org, id, role),
        show: (screen, member) => screen.say(`${member.email} now has the role ${member.role}.`),
      }),
    ),
  orgCommand("remove", "remove a member with the API keys they made, or withdraw an invitation")
    .argument("<id>", "the member's id")
    .option("--keep-keys", "keep the API keys that the member made")
    .addOption(yesOption())
    .action((id: string, { keepKeys = false, yes, ...options }: RemoveOptions, command: Command) =>
      performShown(perform, command, options, {
        ask: async (client, org) => {
          const keys = await keysOf(client, org, id);
          const effect = memberKeysText(keepKeys ? "It would keep" : "It would revoke", keys);
          requireYes(yes ? { yes } : {}, `This would remove ${id} from the org ${org}.${effect}`);
          await client.removeMember(org, id, { keepKeys });
          return keepKeys
            ? { removed: id, revoked_keys: [], kept_keys: keys }
            : { removed: id, revoked_keys: keys, kept_keys: [] };
        },
        show: (screen, { revoked_keys: revoked, kept_keys: kept }) =>
          screen.say(`Removed ${id}.${memberKeysText("Revoked", revoked)}${memberKeysText("Kept", kept)}`),
      }),
    ),
  orgCommand("leave", "leave the org; the API keys that you made are revoked")
    .addOption(yesOption())
    .action(({ yes, ...options }: CloudOptions & { yes?: true }, command: Command) =>
      performShown(perform, command, options, {
        ask: async (client, org) => {
          const id = await ownId(client, org);
          const keys = await keysOf(client, org, id);
          const effect = memberKeysText("It would revoke", keys);
          requireYes(yes ? { yes } : {}, `This would remove you from the org ${org}.${effect}`);
          await client.removeMember(org, id);
          return { left: org, revoked_keys: keys };
        },
        show: (screen, { left, revoked_keys: keys }) =>
          screen.say(`You left ${left}.${memberKeysText("Revoked", keys)}`),
      }),
    ),
  orgCommand("delete-org", "delete the org with its agents, keys and data")
    .addOption(yesOption())
    .action(({ yes, ...options }: CloudOptions & { yes?: true }, command: Command) =>
      performShown(perform, command, options, {
        ask: async (client, org) => {
          requireYes(yes ? { yes } : {}, `This would delete the org ${org} with its agents, keys and data.`);
          await client.deleteOrg(org);
          return { deleted: org };
        },
        show: (screen, { deleted }) => screen.say(`Deleted ${deleted}.`),
      }),
    ),
];

/** Names of the keys that a member made. */
async function keysOf(client: SignedInCloud, org: string, id: string): Promise<string[]> {
  const [{ members }, { keys }] = [await client.members(org), await client.keys(org)];
  const email = members.find((member) => member.id === id && member.status === "active")?.email;
  return keys.filter(({ created_by: maker }) => maker !== null && maker === email).map(({ name }) => name);
}

async function ownId(client: SignedInCloud, org: string): Promise<string> {
  const { email } = await client.orgs();
  const own = (await client.members(org)).members.find((member) => member.email === email);
  if (email !== undefined && own !== undefined) return own.id;
  throw new AppError("invalid", "usage", `You are not signed in as a member of ${org}.`, {
    details: { hint: "`argosy cloud login` signs you in." },
  });
}
