import type { Static, TSchema } from "@sinclair/typebox";
import { type AnyElysia, Elysia } from "elysia";
import {
  MeshAck,
  MeshElection,
  type MeshEntry,
  MeshGossip,
  MeshHeartbeat,
  MeshInvite,
  MeshJoin,
  MeshJoined,
  MeshLeave,
  MeshLeft,
  MeshState,
} from "../../../contracts/daemon/mesh.ts";
import type { Call } from "../../../http/call.ts";
import { invalidPart } from "../../../http/errors/validation-problems.ts";
import { callContext, jsonRoutes, rawRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import { inPieces } from "../../../kit/concurrency/others-turn.ts";
import { schemaChecker } from "../../../kit/json/schema-checker.ts";
import { readStrictJson } from "../../../kit/json/strict-json.ts";
import { messageBytesMax, messageLimits } from "../../../mesh/http-transport.ts";
import type { MeshNode } from "../../../mesh/mesh-node.ts";
import {
  answerHeader,
  type MessageSigner,
  type SignedSender,
  signatureHeader,
} from "../../../mesh/message-signature.ts";

/** Paths of the mesh. Nodes call them with a signature instead of the API token. */
export const meshPaths = "/v1/mesh/*";

/** The mesh, as its routes use it. */
export interface DaemonMesh {
  /** As `MeshState` tells it. */
  encryption: string | null;
  node: Pick<
    MeshNode,
    | "state"
    | "join"
    | "receiveJoin"
    | "receiveGossip"
    | "receiveHeartbeat"
    | "receiveLeave"
    | "receiveElection"
  >;
  signer: Pick<MessageSigner, "verify" | "signAnswer" | "skewOf">;
  /** Throws if nodes may not be at this address. */
  requireAddress(address: string): void;
  /** Throws 429 if nodes join too fast. */
  requireJoinPlace(): void;
  /** Begins to answer machines of the local network that know the code. */
  invite(): Promise<MeshInvite>;
  /** Returns to the mesh after `drain`. */
  rejoin(): Promise<void>;
  /** Leaves the mesh, waits for the runs in flight and returns how many there were. */
  drain(): Promise<number>;
}

/** Routes of the mesh. Without a mesh, each answers 503 `mesh_disabled`. */
export function meshRoutes({ mesh }: { mesh: DaemonMesh | undefined }): AnyElysia {
  return new Elysia()
    .use(callContext())
    .get(
      "/v1/mesh/state",
      async ({ call }) => {
        if (!call.trusted) throw tokenNeeded();
        return withClocks(enabled(mesh));
      },
      {
        response: MeshState,
        detail: {
          tags: ["mesh"],
          operationId: "getMeshState",
          summary: "Lists the nodes of the mesh",
          description: "Answers 503 `mesh_disabled` if this daemon works alone.",
        },
      },
    )
    .use(inviteRoute(mesh))
    .use(messageRoutes(mesh));
}

/** The nodes of a shared database tell how far their clocks are off; of others, this one knows the time of their messages. */
function withClocks({
  node,
  signer,
  encryption,
}: Pick<DaemonMesh, "node" | "signer" | "encryption">): MeshState {
  const state = node.state();
  const withClock = (entry: MeshEntry): MeshEntry => {
    const offMs = entry.clock_off_ms ?? signer.skewOf(entry.node_id);
    return offMs === undefined ? entry : { ...entry, clock_off_ms: offMs };
  };
  return { ...state, nodes: state.nodes.map(withClock), encryption };
}

function inviteRoute(mesh: DaemonMesh | undefined): AnyElysia {
  return new Elysia().use(jsonRoutes()).post(
    "/v1/mesh/invite",
    async ({ call }) => {
      const joined = enabled(mesh);
      if (!call.isOwner) throw ownerNeeded();
      return joined.invite();
    },
    {
      response: MeshInvite,
      detail: {
        tags: ["mesh"],
        operationId: "inviteToMesh",
        summary: "Creates a join code for the local network",
        description:
          "For 10 minutes, this node tells machines that know the code its address and the mesh's secret. Only the machine's owner may call this.",
      },
    },
  );
}

function messageRoutes(mesh: DaemonMesh | undefined): AnyElysia {
  const routes: AnyElysia = new Elysia().use(rawRoutes(messageBytesMax));
  const add = <In extends TSchema, Out extends TSchema>(message: MessageRoute<In, Out>) => {
    const checker = schemaChecker(message.body);
    const check = (value: unknown): Static<In> => {
      if (checker.fits(value)) return value;
      throw invalidPart("The body", checker.faultsOf(value), message.body);
    };
    routes.post(
      `/v1/mesh/${message.name}`,
      // The context's type is lost in a loop over routes.
      async (context) => answerMessage(enabled(mesh), message, check, context as unknown as MessageContext),
      {
        detail: {
          tags: ["mesh"],
          operationId: `${message.name}Mesh`,
          summary: message.summary,
          description: `${message.description} The sender signs the message in the header \`argosy-mesh\` with PLATFORM_MESH_SECRET. Answers 503 \`mesh_disabled\` if this daemon works alone.`,
          security: [],
          requestBody: { content: { "application/json": { schema: message.body } } },
          responses: {
            200: {
              description: "The answer, signed.",
              content: { "application/json": { schema: message.answer } },
            },
          },
        },
      },
    );
  };
  add(join);
  add(leave);
  add(heartbeat);
  add(gossip);
  add(election);
  return routes;
}

interface MessageContext {
  request: Request;
  body: unknown;
  call: Call;
}

/** Checks a message's signature and form, handles it and signs the answer. */
async function answerMessage<In extends TSchema, Out extends TSchema>(
  mesh: DaemonMesh,
  message: MessageRoute<In, Out>,
  check: (value: unknown) => Static<In>,
  { request, body, call }: MessageContext,
): Promise<Response> {
  const text = new TextDecoder().decode(body instanceof Uint8Array ? body : new Uint8Array());
  const sender = senderOf(mesh, message, request, text, call);
  const document = await inPieces(readStrictJson(text, messageLimits));
  const answer = await message.handle(mesh, check(document), sender);
  const written = JSON.stringify(answer);
  const signature = sender && { [answerHeader]: mesh.signer.signAnswer(sender.mac, written) };
  return new Response(written, { headers: { "content-type": "application/json", ...signature } });
}

interface MessageRoute<In extends TSchema, Out extends TSchema> {
  name: string;
  summary: string;
  description: string;
  body: In;
  answer: Out;
  /** True if the machine's owner may send it without a signature. */
  isOwners?: boolean;
  /** `sender` is undefined only for a message of the owner. */
  handle(
    mesh: DaemonMesh,
    body: Static<In>,
    sender: SignedSender | undefined,
  ): Static<Out> | Promise<Static<Out>>;
}

const join: MessageRoute<typeof MeshJoin, typeof MeshJoined> = {
  name: "join",
  summary: "Takes in a node",
  description:
    "A name that another living node has is refused with 409 `node_name_taken`, another database or other keys with 409 `node_data_differs`. The owner of the machine lets this node return, or join the node at `address`, without a signature.",
  body: MeshJoin,
  answer: MeshJoined,
  isOwners: true,
  async handle(mesh, body, sender) {
    if (sender === undefined) return joinAsOwner(mesh, body);
    mesh.requireJoinPlace();
    requireOwnName(body.node_id, sender);
    mesh.requireAddress(body.address);
    return mesh.node.receiveJoin(body, sender.incarnation);
  },
};

/** Lets this node return after it left, or join the node at another address. */
async function joinAsOwner(mesh: DaemonMesh, { node_id: id, address }: MeshJoin): Promise<MeshJoined> {
  const { this_node: own, nodes } = mesh.node.state();
  if (id !== own) {
    throw new AppError("invalid", "not_own_name", `This node is ${own}; only a node itself can join.`);
  }
  if (nodes.every((node) => node.node_id !== own || node.address !== address)) {
    mesh.requireAddress(address);
    await mesh.node.join(address);
  }
  await mesh.rejoin();
  const { leader, nodes: known } = mesh.node.state();
  return { status: "joined", leader, cluster_size: known.filter(({ state }) => state !== "dead").length };
}

const leave: MessageRoute<typeof MeshLeave, typeof MeshLeft> = {
  name: "leave",
  summary: "Lets a node leave",
  description:
    "For this node: `/readyz` answers 503, it takes no more runs of others, waits for those in flight and answers how many there were. For another: it is marked as gone.",
  body: MeshLeave,
  answer: MeshLeft,
  isOwners: true,
  async handle(mesh, { node_id: id }) {
    if (id === mesh.node.state().this_node) return { status: "left", drained_requests: await mesh.drain() };
    if (!mesh.node.receiveLeave(id)) throw unknownNode(id);
    return { status: "left", drained_requests: 0 };
  },
};

const heartbeat: MessageRoute<typeof MeshHeartbeat, typeof MeshAck> = {
  name: "heartbeat",
  summary: "Receives a heartbeat",
  description: "An unknown node gets 404 and has to join.",
  body: MeshHeartbeat,
  answer: MeshAck,
  handle(mesh, body, sender) {
    requireOwnName(body.node_id, sender);
    if (!mesh.node.receiveHeartbeat(body)) throw unknownNode(body.node_id);
    return { ack: true };
  },
};

const gossip: MessageRoute<typeof MeshGossip, typeof MeshGossip> = {
  name: "gossip",
  summary: "Exchanges what two nodes know",
  description: "Each side takes over entries with a higher incarnation or heartbeat.",
  body: MeshGossip,
  answer: MeshGossip,
  handle(mesh, body, sender) {
    requireOwnName(body.sender, sender);
    for (const { address } of body.state) mesh.requireAddress(address);
    return mesh.node.receiveGossip(body);
  },
};

const election: MessageRoute<typeof MeshElection, typeof MeshElection> = {
  name: "election",
  summary: "Takes part in an election",
  description: "A `coordinator` whose term is not newer is refused with 409 `stale_term`.",
  body: MeshElection,
  answer: MeshElection,
  handle(mesh, body, sender) {
    requireOwnName(body.sender, sender);
    return mesh.node.receiveElection(body);
  },
};

function senderOf(
  mesh: DaemonMesh,
  { name, isOwners = false }: { name: string; isOwners?: boolean },
  { headers }: Request,
  body: string,
  call: Call,
): SignedSender | undefined {
  const signature = headers.get(signatureHeader);
  if (signature === null && isOwners && call.isOwner) return undefined;
  return mesh.signer.verify(signature, `/v1/mesh/${name}`, body);
}

/** Refuses messages in which a node speaks for another. */
function requireOwnName(name: string, sender: SignedSender | undefined): void {
  if (sender === undefined || sender.nodeId === name) return;
  throw new AppError("forbidden", "not_own_name", `Node ${sender.nodeId} can't speak for node ${name}.`);
}

const unknownNode = (id: string) =>
  new AppError("not_found", "node_not_found", `There is no node ${id} in this mesh.`);

const ownerNeeded = () =>
  new AppError("forbidden", "owner_needed", "Only the owner of this machine may invite others.", {
    details: { hint: "Run `argosy mesh invite` on this machine." },
  });

const tokenNeeded = () =>
  new AppError("unauthorized", "unauthorized", "This request needs the API token.", {
    details: { hint: "Send it as `Authorization: Bearer …`; the operator has it as PLATFORM_API_TOKEN." },
  });

function enabled(mesh: DaemonMesh | undefined): DaemonMesh {
  if (mesh !== undefined) return mesh;
  throw new AppError("unavailable", "mesh_disabled", "The mesh is off: this daemon works alone.", {
    details: { hint: "Start it with PLATFORM_MESH_ENABLED=true and PLATFORM_MESH_SEEDS; see docs/mesh.md." },
  });
}
