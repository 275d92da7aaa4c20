import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { orchestrationBasics } from "../agent/orchestration.ts";
import type { ManifestKind } from "../schema/manifest-kind.ts";
import {
  closed,
  flag,
  httpUrl,
  list,
  mapping,
  name,
  oneOf,
  text,
  variableName,
  whole,
} from "../schema/schema-vocabulary.ts";

/*
 * Reading fills in no defaults here. Flags and the environment override this file, and it overrides built-in values, so the merge must see
 * which keys the file sets. Defaults here are documentation.
 */

const optional = Type.Optional;
/** Services that the file can name. An executable may lack some of them. */
export const serviceNames = ["daemon", "platform", "gateway", "cloud", "translator"] as const;

const host = (description: string) => text(255, { description });
const address = (description: string) =>
  Type.String({
    pattern: "^[^\\s:/]{1,253}:[0-9]{1,5}$|^\\[[0-9A-Fa-f:.]{2,45}\\]:[0-9]{1,5}$",
    description,
    expects: "an address of the form host:port",
  });
const milliseconds = (description: string, value: number) =>
  optional(whole(1, 3_600_000, { description, default: value }));

const service = (port: number) =>
  optional(
    closed(
      {
        enabled: optional(flag({ description: "Whether it starts.", default: true })),
        host: optional(
          host("The address it listens on (127.0.0.1), unless --host or ARGOSY_HOST names one."),
        ),
        port: optional(whole(0, 65_535, { description: "Its port; 0: any free one.", default: port })),
      },
      { description: `The service on port ${port}.` },
    ),
  );

const services = closed(
  {
    daemon: service(8000),
    platform: service(8080),
    gateway: service(8081),
    cloud: service(8082),
    translator: service(8100),
  },
  { description: "What starts, and where." },
);

const limits = closed(
  {
    runs_in_flight: optional(
      whole(1, 100_000, {
        description:
          "Runs at once. A tenant or org gets a further place only while more places are free than it has.",
        default: 256,
      }),
    ),
    runs_waiting: optional(
      whole(0, 1_000_000, { description: "Runs that wait for a place; more are refused.", default: 1024 }),
    ),
    eval_runs: optional(
      whole(1, 100_000, {
        description:
          "Runs of evals at once, so that the others find places. Absent: a quarter of `runs_in_flight`.",
      }),
    ),
    trigger_runs: optional(whole(1, 10_000, { description: "Runs of triggers at once.", default: 8 })),
    ingests: optional(whole(1, 64, { description: "Ingests at once; 32 more may wait.", default: 2 })),
    request_bytes_held: optional(
      whole(8 * 1024 * 1024, 64 * 1024 * 1024 * 1024, {
        description:
          "Bytes that unfinished request bodies may hold over all connections, an open WebSocket counting as 1 MiB. Above, idle WebSockets are closed with 1013 and requests refused with 503 `too_busy`.",
        default: 256 * 1024 * 1024,
      }),
    ),
  },
  { description: "How much work is taken on." },
);

const mesh = closed(
  {
    enabled: optional(flag({ description: "Whether this node joins others.", default: false })),
    seeds: optional(list(address("A node, as host:port."), 256, { description: "Nodes to join." })),
    node_name: optional(text(63, { description: "This node's name; absent: made up at the first start." })),
    advertise: optional(address("The host:port at which other nodes reach this one.")),
    port: optional(
      Type.Integer({
        minimum: 1,
        maximum: 65_535,
        description:
          "Port on which nodes talk to each other over TLS; absent: the daemon's port, unencrypted.",
      }),
    ),
    heartbeat_ms: milliseconds("Between heartbeats.", 1000),
    gossip_ms: milliseconds("Between rounds of gossip.", 1000),
    suspect_ms: milliseconds("Silence after which a node is suspect.", 5000),
    dead_ms: milliseconds("Silence after which a node is dead.", 15_000),
  },
  { description: "Several nodes as one." },
);

const peer = closed({
  name: name({ description: "The peer's name." }),
  url: httpUrl({ description: "Its address." }),
  services: Type.Array(oneOf(serviceNames, { description: "A service." }), {
    minItems: 1,
    maxItems: serviceNames.length,
    description: "What it serves.",
  }),
});

const network = closed(
  {
    allow: optional(
      list(
        Type.String({
          pattern: "^[A-Za-z0-9.:_-]{1,253}(/[0-9]{1,3})?$",
          description: "A range or a host.",
          expects: "a network such as 10.1.0.0/16 or a host name",
        }),
        256,
        { description: "Private networks and hosts that agents may reach; never link-local." },
      ),
    ),
  },
  { description: "Where outbound calls may go." },
);

const vectors = closed(
  {
    backend: optional(
      oneOf(["lancedb", "pgvector", "qdrant", "chroma"], {
        description: "The default vector store.",
        default: "lancedb",
      }),
    ),
    url: optional(text(2048, { description: "Its address, or an object store's for lancedb." })),
  },
  { description: "The default vector store." },
);

const observability = closed(
  {
    collector: optional(
      oneOf(["internal", "stdout", "otlp"], {
        description: "Where traces go; `otlp` keeps them here as well.",
        default: "internal",
      }),
    ),
    otlp: optional(
      closed(
        {
          enabled: optional(flag({ description: "Whether traces are exported.", default: false })),
          endpoint: optional(httpUrl({ description: "The collector's address." })),
          headers: optional(
            mapping(Type.String({ maxLength: 8192, description: "The header's value." }), {
              description: "Headers of each export.",
            }),
          ),
        },
        { description: "Export by OpenTelemetry's protocol." },
      ),
    ),
    record: optional(
      flag({
        description: "Whether traces of all agents hold what was said, not only figures.",
        default: false,
      }),
    ),
    retention_days: optional(whole(1, 3650, { description: "Days for which traces are kept.", default: 7 })),
    retention_bytes: optional(
      whole(1_048_576, 1_099_511_627_776, {
        description: "Bytes for which traces are kept.",
        default: 268_435_456,
      }),
    ),
  },
  { description: "What is recorded, and for how long." },
);

const names = (description: string) =>
  optional(list(text(128, { description: "A name." }), 256, { description }));

const tenants = closed(
  {
    tools: names(
      "Built-in tools tenants may use beyond those that are open to all: `read_file`, `write_file`, `sql_query`.",
    ),
    providers: names("Providers tenants may use with the operator's keys."),
  },
  { description: "What tenants may use." },
);

const platform = closed(
  {
    registration: optional(
      oneOf(["open", "invite", "closed"], {
        description:
          "Who may register: anyone, only invited people, or no one. Absent: anyone, or only invited people if the platform is exposed.",
      }),
    ),
    run_timeout_seconds: optional(whole(1, 3600, { description: "Longest run, in seconds.", default: 120 })),
    runtime_url: optional(
      httpUrl({ description: "A daemon elsewhere that runs the agents; absent: in process." }),
    ),
    allow_unpriced: optional(
      flag({
        description:
          "Whether runs may call models without a tariff, uncharged. With false they are refused: 402 `unpriced_model`.",
        default: true,
      }),
    ),
  },
  { description: "The agent platform." },
);

const plan = closed({
  max_agents: whole(0, 1_000_000, { description: "Agents." }),
  requests_per_day: whole(0, 1_000_000_000, { description: "Runs in a UTC day." }),
  max_members: whole(1, 1_000_000, { description: "Members and open invitations." }),
  max_storage_bytes: whole(0, 2 ** 50, {
    description: "Bytes of everything that an org stores.",
    default: 20 * 1024 ** 3,
  }),
});

const gateway = closed(
  {
    inbound_rows: optional(
      whole(1, 10_000_000, { description: "Deliveries that may wait; more are refused.", default: 10_000 }),
    ),
    workers: optional(whole(1, 4096, { description: "Deliveries processed at once.", default: 64 })),
    outbox_rows: optional(
      whole(1, 10_000_000, {
        description: "Messages of a tenant that may wait to be sent; more are refused.",
        default: 100_000,
      }),
    ),
    accounts: optional(
      whole(1, 100_000, { description: "Accounts that a tenant may have.", default: 1_000 }),
    ),
    storage_bytes: optional(
      whole(1, 2 ** 50, {
        description:
          "Bytes of messages, deliveries and their trail kept for a tenant whose plan the platform doesn't tell.",
        default: 10 * 1024 ** 3,
      }),
    ),
  },
  { description: "The messaging gateway." },
);

const account = closed({
  provider: oneOf(["gcp", "aws"], { description: "The cloud provider." }),
  driver: oneOf(["embedded", "api"], {
    description:
      "What holds the resources: `embedded`, in the translator itself; `api`, the cloud, called through its APIs.",
  }),
  project: optional(text(63, { description: "`gcp` with `api`: the project's id." })),
  location: optional(text(63, { description: "`gcp` with `api`: the location, such as `us-central1`." })),
  region: optional(text(63, { description: "`aws` with `api`: the region, such as `us-east-1`." })),
  credentials_env: optional(
    variableName({
      description:
        "`api`: for `gcp`, the variable with the path of a service account's key file; for `aws`, the beginning of the variables `…_ACCESS_KEY_ID`, `…_SECRET_ACCESS_KEY` and `…_SESSION_TOKEN`.",
    }),
  ),
  endpoint: optional(
    httpUrl({
      description: "`api`: an address in place of the cloud's own, for private endpoints and tests.",
    }),
  ),
});

const byName = <T extends TSchema>(values: T, description: string) =>
  mapping(values, { description }, "^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$");

/** The schema of runtime.yaml, without defaults filled in. */
export const RuntimeFileSchema = closed(
  {
    spec: closed(
      {
        services: optional(services),
        defaults: optional(
          closed(
            {
              orchestration: optional(
                Type.Partial(closed(orchestrationBasics({})), {
                  description: "Where an agent says nothing.",
                }),
              ),
            },
            { description: "What agents have that say nothing else." },
          ),
        ),
        model_defaults: optional(
          closed(
            {
              provider: text(63, {
                description: "A provider of the registry or the name of an entry of providers.yaml.",
              }),
              model: optional(
                text(255, { description: "The model's name; absent: the provider's built-in default." }),
              ),
            },
            {
              description:
                "The model of agents without `spec.model`. Absent: `default` of providers.yaml, else the first configured provider with its built-in default model.",
            },
          ),
        ),
        limits: optional(limits),
        mesh: optional(mesh),
        peers: optional(list(peer, 64, { description: "Services that run elsewhere, without mesh." })),
        network: optional(network),
        vectors: optional(vectors),
        observability: optional(observability),
        agents: optional(
          closed(
            {
              persist: optional(
                flag({
                  description:
                    "Whether the API and the console may write agents and pipelines to their files.",
                  default: false,
                }),
              ),
              trusted_senders: optional(
                oneOf(["owner", "token"], {
                  description:
                    "Who may send what only files may otherwise say: `owner` is this machine's owner (command line, console link); `token` adds every holder of PLATFORM_API_TOKEN.",
                  default: "owner",
                }),
              ),
            },
            { description: "Agents and pipelines in files, and those that are sent." },
          ),
        ),
        workspace: optional(
          closed(
            {
              shared: optional(
                flag({
                  description:
                    "Whether nodes that share a database also share agents, pipelines, tools, skills, evals, providers and connections.",
                  default: true,
                }),
              ),
            },
            { description: "The files of this workspace among several nodes." },
          ),
        ),
        runtime: optional(
          closed(
            {
              durable: optional(
                flag({
                  description:
                    "Whether runs with a key or session, responses in the background and fires continue after a crash.",
                  default: true,
                }),
              ),
            },
            { description: "How agents run." },
          ),
        ),
        console: optional(
          closed(
            { enabled: optional(flag({ description: "Whether the services show it.", default: true })) },
            { description: "The web console." },
          ),
        ),
        tenants: optional(tenants),
        platform: optional(platform),
        cloud: optional(
          closed(
            { plans: optional(byName(plan, "The plans by name.")) },
            { description: "The managed cloud." },
          ),
        ),
        gateway: optional(gateway),
        translator: optional(
          closed(
            { accounts: optional(byName(account, "Cloud accounts by name.")) },
            { description: "The manifest translator." },
          ),
        ),
      },
      { description: "The installation." },
    ),
  },
  {
    title: "runtime.yaml",
    description: "How an installation runs. Flags and the environment come before it.",
  },
);

export type RuntimeFile = Static<typeof RuntimeFileSchema>;

export const runtimeFileKind: ManifestKind<RuntimeFile> = {
  id: "runtime",
  schema: RuntimeFileSchema,
  rules({ spec }, report) {
    const { suspect_ms: suspectMs, dead_ms: deadMs } = spec.mesh ?? {};
    if (suspectMs !== undefined && deadMs !== undefined && deadMs <= suspectMs) {
      report(["spec", "mesh", "dead_ms"], `must be more than suspect_ms (${suspectMs})`);
    }
  },
};
