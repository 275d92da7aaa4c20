import { Command } from "commander";
import type { TenantCollection } from "../../contracts/platform/collections.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { requireYes, yesOption } from "../option-values.ts";
import { type Inline, paint } from "../terminal/paint.ts";
import { type PlatformOptions, tenantCommand, withTenant } from "./with-platform.ts";

interface DeleteOptions extends PlatformOptions {
  yes?: boolean;
}

export const collectionsCommand = (perform: Perform) =>
  new Command("collections")
    .description("manage collections of documents, which a tenant's `rag` tools search")
    .addCommand(
      tenantCommand("list", "list collections and the tenant's limits").action(
        (options: PlatformOptions, command: Command) => perform(command, (call) => list(call, options)),
      ),
      { isDefault: true },
    )
    .addCommand(
      tenantCommand("create", "create an empty collection")
        .argument("<name>", "the name, such as handbook")
        .action((name: string, options: PlatformOptions, command: Command) =>
          perform(command, (call) => create(call, name, options)),
        ),
    )
    .addCommand(
      tenantCommand("delete", "delete a collection with its documents")
        .argument("<name>", "the collection's name")
        .addOption(yesOption())
        .action((name: string, options: DeleteOptions, command: Command) =>
          perform(command, (call) => remove(call, name, options)),
        ),
    );

async function list(call: CommandCall, options: PlatformOptions): Promise<ExitCode> {
  const { screen } = call;
  const collectionList = await withTenant(call, options, (client) => client.listCollections());
  if (screen.json) {
    screen.document(collectionList);
    return exitCodes.ok;
  }
  const { collections, documents, limits } = collectionList;
  if (collections.length === 0) {
    screen.say("No collections. `argosy platform documents put <collection> <file>` creates one.");
  } else {
    screen.table(
      ["COLLECTION", "DOCUMENTS", "CHUNKS", "STATUS", "CREATED"],
      collections.map((one) => [
        paint("bold", one.name),
        String(one.documents),
        String(one.chunks),
        statusOf(one),
        one.created_at,
      ]),
    );
  }
  const { documents_max } = limits;
  screen.say(`${documents} of ${documents_max ?? "any number of"} documents are used.`);
  return exitCodes.ok;
}

const statusOf = ({ status }: TenantCollection): Inline =>
  status === "ready" ? paint("green", status) : paint("yellow", status);

async function create(call: CommandCall, name: string, options: PlatformOptions): Promise<ExitCode> {
  const { screen } = call;
  const made = await withTenant(call, options, (client) => client.putCollection(name));
  if (screen.json) screen.document(made);
  else screen.say(`${made.name} is there.`);
  return exitCodes.ok;
}

async function remove(call: CommandCall, name: string, options: DeleteOptions): Promise<ExitCode> {
  const { screen } = call;
  requireYes(options, `This would delete the collection ${name} with its documents.`);
  await withTenant(call, options, (client) => client.deleteCollection(name));
  if (screen.json) screen.document({ name, deleted: true });
  else screen.say(`${name} is deleted.`);
  return exitCodes.ok;
}
