import { type Command, Option } from "commander";
import type { ChannelName } from "../../contracts/gateway/channels.ts";
import { type AdminSendInput, type Media, mediaKinds } from "../../contracts/gateway/messages.ts";
import type { Call, Perform } from "../call.ts";
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
  kind?: Media["kind"];
  template?: string;
  language?: string;
  param?: string[];
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
    .addOption(new Option("--kind <kind>", "kind of the file").choices([...mediaKinds]).default("image"))
    .option("--template <name>", "an approved template of phone_messenger")
    .option("--language <code>", "the template's language, such as es_MX")
    .option("--param <text>", "a value for the template; repeatable", gather)
    .option("--account <id>", "an account other than the oldest on the channel")
    .addOption(personOption())
    .option("--idempotency-key <key>", "repeating the key returns the first message instead of a new one")
    .action((words: string[], options: SendOptions, command: Command) =>
      perform(command, (call) => send(call, words, options)),
    );

async function send(call: Call, words: readonly string[], options: SendOptions): Promise<ExitCode> {
  const { screen, signal } = call;
  const { idempotencyKey } = options;
  const sending = { signal, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
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
  const {
    tenant,
    channel,
    to,
    account,
    conversation,
    media,
    kind = "image",
    template,
    language,
    param,
  } = options;
  if (conversation === undefined && (channel === undefined || to === undefined)) {
    throw usageError("There is no recipient.", "Name it with --channel and --to, or with --conversation.");
  }
  if ((template === undefined) !== (language === undefined)) {
    throw usageError("A template needs its language.", "Give both --template and --language.");
  }
  return {
    tenant_id: tenant,
    ...(channel === undefined ? {} : { channel }),
    ...(account === undefined ? {} : { account_id: account }),
    ...(to === undefined ? {} : { recipient: to }),
    ...(conversation === undefined ? {} : { conversation_ref: conversation }),
    ...(words.length === 0 ? {} : { text: words.join(" ") }),
    ...(media === undefined ? {} : { media: [{ kind, url: media }] }),
    ...(template === undefined || language === undefined
      ? {}
      : { template: { name: template, language, ...(param === undefined ? {} : { params: param }) } }),
  };
}
