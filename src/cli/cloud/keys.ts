import { Command } from "commander";
import type { Perform } from "../call.ts";
import { exitCodes } from "../exit-codes.ts";
import { requireYes, yesOption } from "../option-values.ts";
import { readSecret } from "../terminal/read-secret.ts";
import { type CloudOptions, orgCommand, performShown, withOrg } from "./with-cloud.ts";

/** The commands for an org's API keys. */
export const keyCommands = (perform: Perform) =>
  new Command("keys")
    .description("manage API keys")
    .addCommand(
      orgCommand("list", "list API keys, newest first").action((options: CloudOptions, command: Command) =>
        performShown(perform, command, options, {
          ask: (client, org) => client.keys(org),
          show: (screen, { keys }) =>
            screen.table(
              ["ID", "NAME", "PREFIX", "MADE BY", "EXPIRES", "LAST USED"],
              keys.map((key) => [
                key.id,
                key.name,
                key.prefix,
                key.created_by ?? "",
                key.expires_at ?? "never",
                key.last_used_at ?? "never",
              ]),
            ),
        }),
      ),
      { isDefault: true },
    )
    .addCommand(
      orgCommand("create", "create an API key and print its secret, which is shown only once")
        .argument("<name>", "a name for the list")
        .option("--expires <instant>", "instant after which the key is refused, such as 2027-01-31T12:00:00Z")
        .action(
          (name: string, { expires, ...options }: CloudOptions & { expires?: string }, command: Command) =>
            performShown(perform, command, options, {
              ask: (client, org) => client.createKey(org, name, expires),
              show: (screen, key) => {
                screen.print(key.secret);
                screen.say("Store this key now. It is not shown again.");
              },
            }),
        ),
    )
    .addCommand(
      orgCommand("revoke", "stop an API key at once")
        .argument("<id>", "the key's id")
        .action((id: string, options: CloudOptions, command: Command) =>
          performShown(perform, command, options, {
            ask: async (client, org) => {
              await client.revokeKey(org, id);
              return { revoked: id };
            },
            show: (screen) => screen.say(`Revoked ${id}.`),
          }),
        ),
    );

/** The commands for an org's provider keys. */
export const providerCommands = (perform: Perform) =>
  new Command("providers")
    .description("manage the keys of model providers")
    .addCommand(
      orgCommand("list", "list providers with a key").action((options: CloudOptions, command: Command) =>
        performShown(perform, command, options, {
          ask: (client, org) => client.providers(org),
          show: (screen, { providers }) =>
            screen.table(
              ["PROVIDER", "KEY", "ADDED"],
              providers.map(({ provider, masked_key, added_at }) => [provider, masked_key, added_at]),
            ),
        }),
      ),
      { isDefault: true },
    )
    .addCommand(
      orgCommand("save", "store the key of a provider; prompts for the key, or reads it from stdin")
        .argument("<provider>", "openai, anthropic, groq, mistral or cohere")
        .action((provider: string, options: CloudOptions, command: Command) =>
          perform(command, async (call) => {
            const api_key = await readSecret(call, "key");
            return withOrg(call, options, async (client, org) => {
              const saved = await client.saveProvider(org, { provider, api_key });
              if (call.screen.json) call.screen.document(saved);
              else call.screen.say(`Saved the key for ${provider}.`);
              return exitCodes.ok;
            });
          }),
        ),
    )
    .addCommand(
      orgCommand("delete", "delete the key of a provider; agents that use it then fail")
        .argument("<provider>", "the provider")
        .addOption(yesOption())
        .action((provider: string, { yes, ...options }: CloudOptions & { yes?: true }, command: Command) =>
          performShown(perform, command, options, {
            ask: async (client, org) => {
              requireYes(yes ? { yes } : {}, `This would delete the key for ${provider}.`);
              await client.deleteProvider(org, provider);
              return { deleted: provider };
            },
            show: (screen) => screen.say(`Deleted the key for ${provider}.`),
          }),
        ),
    );
