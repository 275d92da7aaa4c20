import { Argument, Command, Option } from "commander";
import type { PlatformClient } from "../../../contracts/platform/clients/client.ts";
import { type Member, type MemberRole, memberRoles } from "../../../contracts/platform/members.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { CommandCall, Perform } from "../../call.ts";
import { type ExitCode, exitCodes } from "../../exit-codes.ts";
import { memberKeysText, requireYes, yesOption } from "../../option-values.ts";
import { type PlatformOptions, platformCommand, tenantCommand, withPerson } from "../with-platform.ts";

type InviteOptions = PlatformOptions & { role: MemberRole };
type RemoveOptions = PlatformOptions & { yes?: true; keepKeys?: boolean };

const who = "a member's e-mail address or id";

export const membersCommand = (perform: Perform) =>
  new Command("members")
    .description("list, invite, change and remove the members of a tenant")
    .addCommand(
      tenantCommand("list", "list members and their roles").action(
        (options: PlatformOptions, command: Command) =>
          perform(command, (call) => listMembers(call, options)),
      ),
      { isDefault: true },
    )
    .addCommand(
      tenantCommand("invite", "invite a person and print the token they join with; it is shown only once")
        .argument("<email>", "e-mail address of the person's account")
        .addOption(
          new Option("--role <role>", "role of the new member").choices(memberRoles).default("member"),
        )
        .action((email: string, options: InviteOptions, command: Command) =>
          perform(command, (call) => invite(call, email, options)),
        ),
    )
    .addCommand(
      tenantCommand("invitations", "list open invitations").action(
        (options: PlatformOptions, command: Command) =>
          perform(command, (call) => listInvitations(call, options)),
      ),
    )
    .addCommand(
      tenantCommand("withdraw", "withdraw an invitation; its token stops working")
        .argument("<id>", "the invitation's id, as the list shows it")
        .action((id: string, options: PlatformOptions, command: Command) =>
          perform(command, (call) => withdraw(call, id, options)),
        ),
    )
    .addCommand(
      tenantCommand("role", "change a member's role")
        .argument("<member>", who)
        .addArgument(new Argument("<role>", "the new role").choices(memberRoles))
        .action((member: string, role: MemberRole, options: PlatformOptions, command: Command) =>
          perform(command, (call) => changeRole(call, { member, role }, options)),
        ),
    )
    .addCommand(
      tenantCommand(
        "remove",
        "remove a member with the API keys they made, or leave the tenant by naming yourself",
      )
        .argument("<member>", who)
        .option("--keep-keys", "keep the API keys that the member made")
        .addOption(yesOption())
        .action((member: string, options: RemoveOptions, command: Command) =>
          perform(command, (call) => remove(call, member, options)),
        ),
    )
    .addCommand(
      platformCommand("join", "join the tenant of an invitation to your e-mail address")
        .argument("<token>", "the invitation's token")
        .action((token: string, options: PlatformOptions, command: Command) =>
          perform(command, (call) => join(call, token, options)),
        ),
    );

async function listMembers(call: CommandCall, options: PlatformOptions): Promise<ExitCode> {
  const { screen } = call;
  const list = await withPerson(call, options, async (client, findTenant) =>
    client.listMembers(await findTenant()),
  );
  if (screen.json) screen.document(list);
  else {
    screen.table(
      ["E-MAIL", "NAME", "ROLE", "JOINED", "ID"],
      list.members.map((member) => [
        member.email,
        member.display_name,
        member.role,
        member.joined_at,
        member.user_id,
      ]),
    );
  }
  return exitCodes.ok;
}

async function invite(call: CommandCall, email: string, options: InviteOptions): Promise<ExitCode> {
  const { screen } = call;
  const invitation = await withPerson(call, options, async (client, findTenant) =>
    client.inviteMember(await findTenant(), { email, role: options.role }),
  );
  if (screen.json) screen.document(invitation);
  else {
    screen.print(invitation.token);
    screen.say(
      `The token is shown only once and expires at ${invitation.expires_at}. ${invitation.email} joins with: argosy platform members join <token>`,
    );
  }
  return exitCodes.ok;
}

async function listInvitations(call: CommandCall, options: PlatformOptions): Promise<ExitCode> {
  const { screen } = call;
  const list = await withPerson(call, options, async (client, findTenant) =>
    client.listInvitations(await findTenant()),
  );
  if (screen.json) screen.document(list);
  else if (list.invitations.length === 0) screen.say("No open invitations.");
  else {
    screen.table(
      ["E-MAIL", "ROLE", "EXPIRES", "ID"],
      list.invitations.map(({ email, role, expires_at, id }) => [email, role, expires_at, id]),
    );
  }
  return exitCodes.ok;
}

async function withdraw(call: CommandCall, id: string, options: PlatformOptions): Promise<ExitCode> {
  const { screen } = call;
  await withPerson(call, options, async (client, findTenant) =>
    client.withdrawInvitation(await findTenant(), id),
  );
  if (screen.json) screen.document({ id, withdrawn: true });
  else screen.say("Withdrew the invitation.");
  return exitCodes.ok;
}

async function changeRole(
  call: CommandCall,
  { member, role }: { member: string; role: MemberRole },
  options: PlatformOptions,
): Promise<ExitCode> {
  const { screen } = call;
  const changed = await withPerson(call, options, async (client, findTenant) => {
    const tenantId = await findTenant();
    return client.changeRole(tenantId, (await memberOf(client, tenantId, member)).user_id, role);
  });
  if (screen.json) screen.document(changed);
  else screen.say(`${changed.email} now has the role ${changed.role}.`);
  return exitCodes.ok;
}

async function remove(call: CommandCall, member: string, options: RemoveOptions): Promise<ExitCode> {
  const { screen } = call;
  const { keepKeys = false } = options;
  const { userId, keys } = await withPerson(call, options, async (client, findTenant) => {
    const tenantId = await findTenant();
    const tenantMember = await memberOf(client, tenantId, member);
    const made = (await client.listKeys(tenantId)).keys
      .filter(({ created_by: maker }) => maker === tenantMember.email)
      .map(({ label }) => label);
    const effect = memberKeysText(keepKeys ? "It would keep" : "It would revoke", made);
    requireYes(options, `This would remove ${member} from the tenant.${effect}`);
    await client.removeMember(tenantId, tenantMember.user_id, { keepKeys });
    return { userId: tenantMember.user_id, keys: made };
  });
  const [revoked_keys, kept_keys] = keepKeys ? [[], keys] : [keys, []];
  if (screen.json) screen.document({ user_id: userId, removed: true, revoked_keys, kept_keys });
  else screen.say(`Removed ${member}.${memberKeysText(keepKeys ? "Kept" : "Revoked", keys)}`);
  return exitCodes.ok;
}

async function join(call: CommandCall, token: string, options: PlatformOptions): Promise<ExitCode> {
  const { screen } = call;
  const tenant = await withPerson(call, options, (client) => client.acceptInvitation(token));
  if (screen.json) screen.document(tenant);
  else screen.say(`You are now a member of ${tenant.displayName} (${tenant.crName}) as ${tenant.role}.`);
  return exitCodes.ok;
}

/** Returns the member with this id or e-mail address. */
async function memberOf(client: PlatformClient, tenantId: string, member: string): Promise<Member> {
  const { members } = await client.listMembers(tenantId);
  const email = member.trim().toLowerCase();
  const match = members.find((each) => each.user_id === member || each.email === email);
  if (match !== undefined) return match;
  throw new AppError("not_found", "not_found", `${member} is not a member of this tenant.`, {
    details: { hint: "`argosy platform members` lists them." },
  });
}
