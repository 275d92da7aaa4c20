import { createInterface } from "node:readline";
import { type Command, Option } from "commander";
import type { ChannelName } from "../../contracts/gateway/channels.ts";
import type { EmulatorInboundInput } from "../../contracts/gateway/emulator.ts";
import { sleep, systemClock } from "../../kit/clock.ts";
import { newId } from "../../kit/id.ts";
import type { Call, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { wholeNumber } from "../option-values.ts";
import type { ReachedGateway } from "../parts.ts";
import { paint } from "../terminal/paint.ts";
import { channelOption, type GatewayOptions, gatewayCommand, withGateway } from "./with-gateway.ts";

const faults = ["duplicate", "out-of-order", "429", "closed-window"] as const;

interface EmulateOptions extends GatewayOptions {
  account: string;
  channel?: ChannelName;
  from: string;
  name?: string;
  wait: number;
  fault?: (typeof faults)[number];
}

type Client = ReachedGateway["client"];

export const emulateCommand = (perform: Perform) =>
  gatewayCommand(
    "emulate",
    "a phone in the terminal: write as a customer to an emulated account, and see its answers",
  )
    .requiredOption("--account <external-id>", "the emulated account")
    .addOption(channelOption())
    .option("--from <address>", "the customer's address", "5215550000001")
    .option("--name <text>", "the customer's name")
    .option("--wait <seconds>", "how long to wait for an answer (30)", wholeNumber(3600), 30)
    .addOption(
      new Option(
        "--fault <fault>",
        "duplicate: deliver twice; out-of-order: deliver an older message late; 429, closed-window: refuse the answer once",
      ).choices([...faults]),
    )
    .action((options: EmulateOptions, command: Command) =>
      perform(command, (call) => emulate(call, options)),
    );

const pollMs = 200;

/** Sends each line of stdin as a message, and prints what the account sends to the customer. */
async function emulate(call: Call, options: EmulateOptions): Promise<ExitCode> {
  const { shell, screen, signal } = call;
  return withGateway(call, options, async (client) => {
    const phone = new Phone(client, options);
    await phone.skip();
    if (screen.hasReader)
      screen.say(paint("dim", `Writing to ${options.account} as ${options.from}. Ctrl-D leaves.`));
    const lines = createInterface({ input: shell.stdin, crlfDelay: Number.POSITIVE_INFINITY });
    const close = () => lines.close();
    signal.addEventListener("abort", close, { once: true });
    for await (const line of lines) {
      if (line.trim() === "") continue;
      await phone.write(line);
      const answers = await phone.answers(options.wait * 1000, signal);
      for (const text of answers) {
        if (screen.json) screen.record({ from: options.account, text });
        else screen.print(paint("green", text));
      }
      if (signal.aborted) return exitCodes.interrupted;
      if (answers.length === 0) screen.say(paint("dim", `No answer within ${options.wait} s.`));
    }
    return signal.aborted ? exitCodes.interrupted : exitCodes.ok;
  });
}

/** The customer's side of one conversation. */
class Phone {
  readonly #client: Client;
  readonly #options: EmulateOptions;
  #seen = 0;

  constructor(client: Client, options: EmulateOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** Leaves out what was sent before. */
  async skip(): Promise<void> {
    this.#seen = (await this.#sent()).length;
  }

  async write(text: string): Promise<void> {
    const { account, channel, from, name, fault } = this.#options;
    const message = (said: string, more: Partial<EmulatorInboundInput> = {}): EmulatorInboundInput => ({
      cuenta: account,
      desde: from,
      texto: said,
      ...(channel === undefined ? {} : { canal: channel }),
      ...(name === undefined ? {} : { nombre: name }),
      ...more,
    });
    const now = systemClock.now().getTime();
    const at = (offsetMs: number) => new Date(now + offsetMs).toISOString();
    switch (fault) {
      case "duplicate": {
        const channel_message_id = newId();
        await this.#client.emulateInbound(message(text, { channel_message_id }));
        await this.#client.emulateInbound(message(text, { channel_message_id }));
        return;
      }
      case "out-of-order":
        await this.#client.emulateInbound(message(text, { enviado: at(0) }));
        await this.#client.emulateInbound(message(`(earlier) ${text}`, { enviado: at(-5_000) }));
        return;
      case "429":
      case "closed-window":
        await this.#client.failEmulated({
          cuenta: account,
          fault,
          ...(channel === undefined ? {} : { canal: channel }),
        });
        break;
      case undefined:
        break;
    }
    await this.#client.emulateInbound(message(text));
  }

  /** Returns the texts that arrive until a second passes without another one. */
  async answers(waitMs: number, signal: AbortSignal): Promise<string[]> {
    const texts: string[] = [];
    const clock = systemClock;
    let untilMs = clock.monotonicMs() + waitMs;
    while (clock.monotonicMs() < untilMs && !signal.aborted) {
      const sent = await this.#sent();
      const fresh = sent.slice(this.#seen);
      this.#seen = sent.length;
      texts.push(...fresh);
      if (fresh.length > 0) untilMs = clock.monotonicMs() + 2_000;
      await sleep(clock, pollMs, signal).catch(() => undefined);
    }
    return texts;
  }

  async #sent(): Promise<string[]> {
    const { account, channel = "phone_messenger", from } = this.#options;
    const { mensajes } = await this.#client.listEmulated({ canal: channel, cuenta: account, ultimos: 500 });
    return mensajes
      .filter(({ destino }) => destino.replace(/^\+/, "") === from.replace(/^\+/, ""))
      .map(
        ({ contenido: { text, media, template } }) =>
          text ?? template?.name ?? media?.caption ?? media?.url ?? "",
      );
  }
}
