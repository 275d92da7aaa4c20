import { Command, InvalidArgumentError } from "commander";
import type { MeshEntry, MeshLeft, MeshState } from "../../contracts/daemon/mesh.ts";
import { sleep, systemClock } from "../../kit/clock.ts";
import { clockOffMaxMs } from "../../kit/shared-clock.ts";
import { type CommandCall, type Perform, withServer } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { type Inline, paint } from "../terminal/paint.ts";

export const meshCommand = (perform: Perform) => {
  const command = new Command("mesh")
    .description("show the nodes of the mesh, or let one join or leave")
    .action((_: object, group: Command) => group.outputHelp());
  const inner = [
    new Command("status")
      .description("list the nodes that this one sees, and their leader")
      .action((_: object, status: Command) => perform(status, showNodes)),
    new Command("join")
      .description("let this node return after it left, or join the node at an address")
      .argument("[address]", "another node, as host:port")
      .action((address: string | undefined, _: object, join: Command) =>
        perform(join, (call) => joinMesh(call, address)),
      ),
    new Command("invite")
      .description("make a join code for a machine of the local network")
      .action((_: object, invite: Command) => perform(invite, inviteMachine)),
    new Command("find")
      .description("get the settings of the mesh that a join code belongs to")
      .argument("<code>", "the code that `argosy mesh invite` printed")
      .option("--wait <seconds>", "time to look for it", asSeconds, 10)
      .option("--interface <address>", "address of the network interface to look on")
      .action((code: string, options: FindOptions, find: Command) =>
        perform(find, (call) => findByCode(call, code, options)),
      ),
    new Command("drain")
      .description("empty this node: no new runs, /readyz answers 503, and runs in flight end")
      .option(
        "--notice <seconds>",
        "time for load balancers to see that /readyz answers 503; the node hands on what they still send",
        asNotice,
        5,
      )
      .action((options: DrainOptions, drain: Command) => perform(drain, (call) => drainNode(call, options))),
    new Command("leave")
      .description("let a node leave: this one waits for its runs in flight, another is marked as gone")
      .argument("[node]", "a node's name (this node)")
      .action((node: string | undefined, _: object, leave: Command) =>
        perform(leave, (call) => leaveMesh(call, node)),
      ),
  ];
  for (const each of inner) command.addCommand(each.copyInheritedSettings(command));
  return command;
};

async function showNodes(call: CommandCall): Promise<ExitCode> {
  const { screen } = call;
  const state = await withServer(call, (client) => client.meshState());
  if (screen.json) screen.document(state);
  else {
    screen.table(
      ["NODE", "STATE", "ADDRESS", "RUNS", "AGENTS", "VERSION"],
      state.nodes.map((node) => [
        nameOf(node, state),
        stateOf(node),
        node.address,
        String(node.active_requests),
        String(node.agents.length),
        node.version ?? "",
      ]),
    );
    for (const { node_id: id, clock_off_ms: offMs = 0 } of state.nodes)
      if (Math.abs(offMs) > clockOffMaxMs)
        screen.say(`The clock of ${id} is off by ${(offMs / 1_000).toFixed(1)} seconds.`);
    const newest = Math.max(...state.nodes.map((node) => node.shared_files?.revision ?? 0));
    for (const { node_id: id, state: is, shared_files: files } of state.nodes) {
      if (files === undefined || is === "dead") continue;
      if (files.differing > 0)
        screen.say(
          `${files.differing} files of ${id} differ from the shared ones: see \`argosy doctor\` there.`,
        );
      if (files.revision < newest) screen.say(`${id} has not taken all changes of the shared files yet.`);
    }
    if (state.encryption === null)
      screen.say("Messages between nodes are not encrypted: set PLATFORM_MESH_PORT on all nodes.");
    else if (state.encryption !== undefined) screen.say(`Encrypted by TLS (${state.encryption}).`);
    screen.say(
      state.leader === null
        ? "No leader: fewer than a majority of the nodes are reachable."
        : `Led by ${state.leader} in term ${state.term}.`,
    );
  }
  return exitCodes.ok;
}

async function joinMesh(call: CommandCall, address: string | undefined): Promise<ExitCode> {
  const { screen } = call;
  const joined = await withServer(call, async (client) => {
    const { this_node: own, nodes } = await client.meshState();
    const ownAddress = nodes.find(({ node_id: id }) => id === own)?.address ?? "";
    return client.joinMesh(own, address ?? ownAddress);
  });
  if (screen.json) screen.document(joined);
  else screen.say(`Joined. Reachable nodes: ${joined.cluster_size}.`);
  return exitCodes.ok;
}

async function inviteMachine(call: CommandCall): Promise<ExitCode> {
  const { screen } = call;
  const { code, expires_in: seconds } = await withServer(call, (client) => client.inviteToMesh());
  if (screen.json) screen.document({ code, expires_in: seconds });
  else {
    screen.print(code);
    screen.say(`On the other machine, within ${seconds / 60} minutes: argosy mesh find ${code}`);
  }
  return exitCodes.ok;
}

interface FindOptions {
  wait: number;
  interface?: string;
}

/** Prints the settings as variables. They contain the mesh's secret. */
async function findByCode(call: CommandCall, code: string, options: FindOptions): Promise<ExitCode> {
  const { findMeshSettings } = await import("../../command/find-mesh.ts");
  const variables = await findMeshSettings(code, options);
  if (call.screen.json) call.screen.document(variables);
  else {
    for (const [name, value] of Object.entries(variables)) call.screen.print(`${name}=${value}`);
    call.screen.say(
      "If the nodes share a database, also set their DATABASE_URL, ARGOSY_SEALING_KEYS and ARGOSY_JWT_KEYS.",
    );
  }
  return exitCodes.ok;
}

function asNotice(text: string): number {
  const seconds = Number(text);
  if (text.trim() !== "" && seconds >= 0 && seconds <= 600) return seconds;
  throw new InvalidArgumentError("must be 0 to 600 seconds.");
}

function asSeconds(text: string): number {
  const seconds = Number(text);
  if (seconds > 0 && seconds <= 600) return seconds;
  throw new InvalidArgumentError("must be 1 to 600 seconds.");
}

async function leaveMesh(call: CommandCall, node: string | undefined): Promise<ExitCode> {
  return showLeft(call, await leave(call, node));
}

interface DrainOptions {
  notice: number;
}

/** The node leaves, load balancers get time to notice, and what they sent in the meantime ends. */
async function drainNode(call: CommandCall, { notice }: DrainOptions): Promise<ExitCode> {
  const first = await leave(call, undefined);
  if (notice === 0) return showLeft(call, first);
  await sleep(systemClock, notice * 1_000, call.signal);
  const { status, drained_requests: late } = await leave(call, undefined);
  return showLeft(call, { status, drained_requests: first.drained_requests + late });
}

const leave = (call: CommandCall, node: string | undefined): Promise<MeshLeft> =>
  withServer(call, async (client) => client.leaveMesh(node ?? (await client.meshState()).this_node));

function showLeft({ screen }: CommandCall, left: MeshLeft): ExitCode {
  if (screen.json) screen.document(left);
  else screen.say(`Left. Runs in flight that have ended: ${left.drained_requests}.`);
  return exitCodes.ok;
}

const nameOf = ({ node_id: id }: MeshEntry, { this_node: own }: MeshState): Inline =>
  id === own ? paint("bold", `${id} (this node)`) : id;

function stateOf({ state, has_left: hasLeft }: MeshEntry): Inline {
  if (hasLeft === true) return paint("dim", "left");
  return paint(({ alive: "green", suspect: "yellow", dead: "red" } as const)[state], state);
}
