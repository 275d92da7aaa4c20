import { type Command, Option } from "commander";
import type { ChannelName } from "../../contracts/gateway/channels.ts";
import {
  type AdminSendInput,
  type Media,
  mediaKinds,
  type Template,
} from "../../contracts/gateway/messages.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { gather } from "../option-values.ts";
import { usageError } from "../terminal/report-error.ts";
import {
  channelOption,
  type GatewayOptions,
  gatewayCommand,
  personOption,
  withGateway,
} from "./with-gateway.ts";

interface SendOptions extends GatewayOptions {
  tenant: string;
  channel?: ChannelName;
  to?: string;
  account?: string;
  conversation?: string;
  media?: string;
  file?: string;
  filename?: string;
  kind?: Media["kind"];
  template?: string;
  language?: string;
  param?: string[];
  named?: string[];
  force?: true;
  idempotencyKey?: string;
}

export const sendCommand = (perform: Perform) =>
  gatewayCommand("send", "queue a message of a tenant")
    .argument("[text...]", "the text")
    .requiredOption("--tenant <id>", "the tenant")
    .addOption(channelOption())
    .option("--to <address>", "the recipient's address")
    .option("--conversation <id>", "answer in this conversation instead")
    .option("--media <url>", "public address of a file")
    .option("--file <id>", "id of a file that `argosy gateway files upload` kept")
    .option("--filename <name>", "name of a document")
    .addOption(
      new Option("--kind <kind>", "kind of the file (of an address image, else by its bytes)").choices([
        ...mediaKinds,
      ]),
    )
    .option("--template <name>", "an approved template of phone_messenger")
    .option("--language <code>", "the template's language, such as es_MX")
    .option("--param <text>", "a value for the template; repeatable", gather)
    .option("--account <id>", "an account other than the oldest on the channel")
    .addOption(personOption())
    .option("--named <name=text>", "a value for a named placeholder; repeatable", gather)
    .option("--force", "send free text though the provider's 24-hour window is closed")
    .option("--idempotency-key <key>", "repeating the key returns the first message instead of a new one")
    .action((words: string[], options: SendOptions, command: Command) =>
      perform(command, (call) => send(call, words, options)),
    );

async function send(call: CommandCall, words: readonly string[], options: SendOptions): Promise<ExitCode> {
  const { screen, signal } = call;
  const { idempotencyKey, account } = options;
  const sending = {
    signal,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(account === undefined ? {} : { account_id: account }),
  };
  const body = bodyOf(words, options);
  const queued = await withGateway(call, options, (client) => client.send(body, sending));
  if (screen.json) screen.document(queued);
  else
    screen.say(
      `Queued ${queued.message_id}. \`argosy gateway trail ${queued.message_id}\` tells what became of it.`,
    );
  return exitCodes.ok;
}

function bodyOf(words: readonly string[], options: SendOptions): AdminSendInput {
  const { tenant, channel, to, conversation, template, language } = options;
  if (conversation === undefined && (channel === undefined || to === undefined)) {
    throw usageError("There is no recipient.", "Name it with --channel and --to, or with --conversation.");
  }
  if ((template === undefined) !== (language === undefined)) {
    throw usageError("A template needs its language.", "Give both --template and --language.");
  }
  return {
    tenant_id: tenant,
    ...(channel === undefined ? {} : { channel }),
    ...(to === undefined ? {} : { recipient: to }),
    ...(conversation === undefined ? {} : { conversation_ref: conversation }),
    ...(words.length === 0 ? {} : { text: words.join(" ") }),
    ...mediaOf(options),
    ...(template === undefined || language === undefined
      ? {}
      : { template: { name: template, language, ...paramsOf(options) } }),
    ...(options.force === true && { force: true }),
  };
}

function mediaOf({ media, file, kind, filename }: SendOptions): Pick<AdminSendInput, "media"> {
  if (media !== undefined && file !== undefined)
    throw usageError("There are two files.", "Give --media or --file, not both.");
  const named = filename === undefined ? {} : { filename };
  if (file !== undefined) return { media: [{ id: file, ...(kind !== undefined && { kind }), ...named }] };
  return media === undefined ? {} : { media: [{ kind: kind ?? "image", url: media, ...named }] };
}

function paramsOf({ param, named }: SendOptions): Pick<Template, "params"> {
  if (param !== undefined && named !== undefined)
    throw usageError("Placeholders have names or positions.", "Give --named or --param, not both.");
  if (named === undefined) return param === undefined ? {} : { params: param };
  const pairs = named.map((pair) => {
    const at = pair.indexOf("=");
    if (at < 1) throw usageError(`--named ${pair} has no name.`, "For example --named nombre=Ana.");
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  return { params: Object.fromEntries(pairs) };
}
