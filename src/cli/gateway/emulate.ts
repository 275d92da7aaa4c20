import { createInterface } from "node:readline";
import { type Command, Option } from "commander";
import type { ReachedGateway } from "../../command/parts.ts";
import type { EmulatorOutbox } from "../../contracts/gateway/admin.ts";
import type { ChannelName } from "../../contracts/gateway/channels.ts";
import type { EmulatorInboundInput } from "../../contracts/gateway/emulator.ts";
import { userAddress } from "../../contracts/gateway/user-address.ts";
import { AppError } from "../../kit/app-error.ts";
import { sleep, systemClock } from "../../kit/clock.ts";
import { newId } from "../../kit/id.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { wholeNumber } from "../option-values.ts";
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
/** After an answer, further ones are awaited this long: the parts of one answer are 1.5 s apart. */
const moreMs = 2_000;

/** Messages that the customer sees: texts of the account, or that the provider refused one. */
type Seen = { text: string } | { failed: string };

/** Sends each line of stdin as a message, and prints what the account sends to the customer. */
async function emulate(call: CommandCall, options: EmulateOptions): Promise<ExitCode> {
  const { shell, screen, signal } = call;
  const talk = async (client: Client) => {
    const phone = new Phone(client, options);
    await phone.skip();
    if (screen.hasReader)
      screen.say(paint("dim", `Writing to ${options.account} as ${options.from}. Ctrl-D leaves.`));
    const isTerminal = shell.stdin.isTTY === true;
    const leaving = new AbortController();
    const over = AbortSignal.any([signal, leaving.signal]);
    // The prompt goes to stderr: stdout, which may be a file, gets only answers.
    const lines = createInterface({
      input: shell.stdin,
      crlfDelay: Number.POSITIVE_INFINITY,
      ...(isTerminal && { output: shell.stderr, terminal: true, prompt: "> " }),
    });
    over.addEventListener("abort", () => lines.close(), { once: true });
    // The terminal sends no signal while the editor reads keys.
    lines.on("SIGINT", () => leaving.abort());
    if (isTerminal) lines.prompt();
    for await (const line of lines) {
      if (line.trim() !== "") {
        const id = await phone.write(line);
        const seen = await phone.answers(id, options.wait * 1000, over);
        for (const one of seen) show(call, options.account, one);
        if (over.aborted) break;
        if (seen.length === 0) screen.say(paint("dim", `No answer within ${options.wait} s.`));
      }
      if (isTerminal) lines.prompt();
    }
    return over.aborted ? exitCodes.interrupted : exitCodes.ok;
  };
  return withGateway(call, options, talk, { runsAgents: true });
}

function show({ screen }: CommandCall, account: string, seen: Seen): void {
  if (screen.json) screen.record({ from: account, ...seen });
  else if ("text" in seen) screen.print(paint("green", seen.text));
  else screen.say(paint("red", `The provider refused the answer: ${seen.failed}`));
}

/** The customer's side of one conversation. */
class Phone {
  readonly #client: Client;
  readonly #options: EmulateOptions;
  /** Time of the last message that was seen, and how many have that time. */
  #last = { at: "", count: 0 };

  constructor(client: Client, options: EmulateOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** Leaves out what was sent before. */
  async skip(): Promise<void> {
    await this.#fresh();
  }

  /** Delivers a message with the fault that was asked for. Returns its id. */
  async write(text: string): Promise<string> {
    const { account, channel, from, name, fault } = this.#options;
    const message = (said: string, more: Partial<EmulatorInboundInput> = {}): EmulatorInboundInput => ({
      cuenta: account,
      desde: from,
      texto: said,
      ...(channel === undefined ? {} : { canal: channel }),
      ...(name === undefined ? {} : { nombre: name }),
      ...more,
    });
    const deliver = async (body: EmulatorInboundInput) =>
      (await this.#client.emulateInbound(body)).channel_message_id;
    const now = systemClock.now().getTime();
    const at = (offsetMs: number) => new Date(now + offsetMs).toISOString();
    switch (fault) {
      case "duplicate": {
        const channel_message_id = newId();
        await deliver(message(text, { channel_message_id }));
        return deliver(message(text, { channel_message_id }));
      }
      case "out-of-order": {
        const id = await deliver(message(text, { enviado: at(0) }));
        await deliver(message(`(earlier) ${text}`, { enviado: at(-5_000) }));
        return id;
      }
      case "429":
      case "closed-window": {
        const channel_message_id = newId();
        await this.#client.failEmulated({
          cuenta: account,
          fault,
          channel_message_id,
          ...(channel === undefined ? {} : { canal: channel }),
        });
        return deliver(message(text, { channel_message_id }));
      }
      case undefined:
        return deliver(message(text));
      default:
        return fault satisfies never;
    }
  }

  /** Returns what arrives within `waitMs`, and then until two seconds pass without another message. */
  async answers(id: string, waitMs: number, signal: AbortSignal): Promise<Seen[]> {
    const seen: Seen[] = [];
    const clock = systemClock;
    let untilMs = clock.monotonicMs() + waitMs;
    while (clock.monotonicMs() < untilMs && !signal.aborted) {
      const fresh = await this.#fresh();
      seen.push(...fresh.map((message) => ({ text: textOf(message) })));
      if (fresh.length > 0) untilMs = clock.monotonicMs() + moreMs;
      const failures = this.#options.fault === "closed-window" ? await this.#failures(id) : [];
      if (failures.length > 0) return [...seen, ...failures];
      await sleep(clock, pollMs, signal).catch(() => undefined);
    }
    return seen;
  }

  /** Returns the account's messages to the customer since the last look. */
  async #fresh(): Promise<EmulatorOutbox["mensajes"]> {
    const { account, channel = "phone_messenger", from } = this.#options;
    const { mensajes } = await this.#client.listEmulated({ canal: channel, cuenta: account, ultimos: 500 });
    const own = mensajes.filter(
      ({ destino }) => userAddress(channel, destino) === userAddress(channel, from),
    );
    const { at, count } = this.#last;
    const fresh = [
      ...own.filter(({ cuando }) => cuando === at).slice(count),
      ...own.filter(({ cuando }) => cuando > at),
    ];
    const last = fresh.at(-1)?.cuando ?? at;
    this.#last = { at: last, count: own.filter(({ cuando }) => cuando === last).length };
    return fresh;
  }

  /** Returns what the provider said of answers to a message that it refused for good. */
  async #failures(id: string): Promise<Seen[]> {
    const { messages } = await this.#client.trail(id).catch((thrown) => {
      if (thrown instanceof AppError && thrown.kind === "not_found") return { messages: [] };
      throw thrown;
    });
    return messages
      .filter(
        ({ direction, events }) => direction === "outbound" && events.some(({ event }) => event === "failed"),
      )
      .flatMap(({ events }) =>
        events.flatMap(({ details }) => (details?.error === undefined ? [] : [String(details.error)])),
      )
      .map((failed) => ({ failed }));
  }
}

const textOf = ({ contenido: { text, media, template } }: EmulatorOutbox["mensajes"][number]): string =>
  text ?? template?.name ?? media?.caption ?? media?.url ?? "";
