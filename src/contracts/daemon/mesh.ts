import { type Static, Type } from "@sinclair/typebox";

/** Most nodes of a mesh, and most entries of one message. */
export const meshNodesMax = 512;
/** Most agents that a node tells of. */
const agentsMax = 2000;

export const NodeId = Type.String({
  pattern: "^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$",
  description: "Name of a node: lower-case letters, digits, dots and hyphens, at most 63 characters.",
});

const Address = Type.String({
  minLength: 3,
  maxLength: 261,
  description: "`host:port` at which other nodes reach this one.",
});

const Counter = Type.Integer({ minimum: 0, maximum: 2 ** 52 });

const AgentNames = Type.Array(Type.String({ minLength: 1, maxLength: 63 }), { maxItems: agentsMax });

/** Part that a node takes in a mesh. */
export const MeshRole = Type.Union([
  Type.Literal("full"),
  Type.Literal("gateway"),
  Type.Literal("worker"),
  Type.Literal("inference"),
]);
export type MeshRole = Static<typeof MeshRole>;

export const MeshNodeState = Type.Union([
  Type.Literal("alive"),
  Type.Literal("suspect"),
  Type.Literal("dead"),
]);
export type MeshNodeState = Static<typeof MeshNodeState>;

const Fingerprints = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 64 });

/** Identity of a node's database and keys, as hashes. Nodes of one mesh must share them. */
export const MeshData = Type.Object({
  database: Type.Union([Fingerprints, Type.Null()], {
    description: "The shared database, by the keys that were used in it. Null: the node's own SQLite files.",
  }),
  sealing: { ...Fingerprints, description: "Keys that open secrets; the first one seals." },
  signing: { ...Fingerprints, description: "Keys that check tokens; the first one signs." },
});
export type MeshData = Static<typeof MeshData>;

/** Absent in messages of earlier versions; null for a node that keeps no data of others, which needs no shared database. */
const KeptData = Type.Optional(Type.Union([MeshData, Type.Null()]));

/** What nodes tell each other of one node. */
export const MeshEntry = Type.Object({
  node_id: NodeId,
  address: Address,
  state: MeshNodeState,
  heartbeat: Type.Integer({
    minimum: 0,
    maximum: 2 ** 52,
    description: "Counter that the node raises every second. It starts at 0 with each incarnation.",
  }),
  incarnation: Type.Integer({
    minimum: 1,
    maximum: 2 ** 52,
    description:
      "Number of the node's life. It grows with each restart, and when the node refutes its death.",
  }),
  agents: AgentNames,
  active_requests: Counter,
  has_left: Type.Optional(
    Type.Boolean({ description: "True if the node left in an orderly way; its state is `dead`." }),
  ),
  version: Type.Optional(Type.String({ maxLength: 63, description: "Version of the node's executable." })),
  role: Type.Optional(MeshRole),
  clock_off_ms: Type.Optional(
    Type.Integer({
      description:
        "How far the machine's clock is ahead of the shared database's, or else of this node's; negative when it is behind.",
    }),
  ),
  shared_files: Type.Optional(
    Type.Object(
      {
        revision: { ...Counter, description: "The newest change that the node has taken." },
        differing: { ...Counter, description: "Files of the node that differ from the shared ones." },
      },
      { description: "Agents, tools and other files that the nodes of a database share." },
    ),
  ),
  bound_agents: Type.Optional({
    ...AgentNames,
    description:
      "Agents whose conversations are kept on this node. Each of their sessions stays on one node.",
  }),
  models: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 320 }), {
      maxItems: agentsMax,
      description: "Models that the node serves to the others, as `provider/model`.",
    }),
  ),
});
export type MeshEntry = Static<typeof MeshEntry>;

/** Answer of a peer about itself. */
export const MeshPeer = Type.Composite([MeshEntry, Type.Object({ data: KeptData })]);
export type MeshPeer = Static<typeof MeshPeer>;

/** The leader that a node knows of. A higher term replaces a lower one. */
const leadership = {
  term: Type.Optional(Counter),
  leader: Type.Optional(Type.Union([NodeId, Type.Null()])),
};

export const MeshJoin = Type.Object({
  node_id: NodeId,
  address: Address,
  agents: AgentNames,
  meta: Type.Optional(
    Type.Object({ version: Type.Optional(Type.String({ maxLength: 63 })) }, { additionalProperties: true }),
  ),
  data: KeptData,
});
export type MeshJoin = Static<typeof MeshJoin>;

export const MeshJoined = Type.Object({
  status: Type.Literal("joined"),
  leader: Type.Union([NodeId, Type.Null()]),
  cluster_size: Type.Integer(),
});
export type MeshJoined = Static<typeof MeshJoined>;

export const MeshLeave = Type.Object({ node_id: NodeId });
export type MeshLeave = Static<typeof MeshLeave>;

export const MeshLeft = Type.Object({
  status: Type.Literal("left"),
  drained_requests: Type.Integer({
    description: "Requests that were in flight when the node left and have ended since.",
  }),
});
export type MeshLeft = Static<typeof MeshLeft>;

export const MeshHeartbeat = Type.Object({ node_id: NodeId, heartbeat: Counter, active_requests: Counter });
export type MeshHeartbeat = Static<typeof MeshHeartbeat>;

export const MeshAck = Type.Object({ ack: Type.Boolean() });
export type MeshAck = Static<typeof MeshAck>;

export const MeshGossip = Type.Object({
  sender: NodeId,
  data: KeptData,
  state: Type.Array(MeshEntry, { maxItems: meshNodesMax }),
  ...leadership,
});
export type MeshGossip = Static<typeof MeshGossip>;

export const MeshElection = Type.Object({
  type: Type.Union([Type.Literal("election"), Type.Literal("ok"), Type.Literal("coordinator")]),
  sender: NodeId,
  term: Type.Optional(Counter),
});
export type MeshElection = Static<typeof MeshElection>;

export const MeshState = Type.Object({
  this_node: NodeId,
  leader: Type.Union([NodeId, Type.Null()], {
    description:
      "The living node with the highest id. Null while fewer than half of the nodes are reachable. Informative: no duty hangs on it.",
  }),
  term: Counter,
  nodes: Type.Array(MeshEntry),
  encryption: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description:
        "How messages between nodes are encrypted: fingerprint of the authority whose certificates the nodes have, or `own certificates` of the daemons. Null: they are not.",
    }),
  ),
});
export type MeshState = Static<typeof MeshState>;

export const MeshInvite = Type.Object({
  code: Type.String({
    description: "Code with which a machine of the local network gets the mesh's address and secret.",
  }),
  expires_in: Type.Integer({ description: "Seconds for which this node answers to the code." }),
});
export type MeshInvite = Static<typeof MeshInvite>;
