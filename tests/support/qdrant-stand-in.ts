import { QdrantRefusal, readBody } from "./qdrant/read-body.ts";
import { StandInCollection } from "./qdrant/stand-in-collection.ts";

/**
 * Simulates Qdrant on a real socket, because Qdrant cannot be installed here. It follows the REST API as published for version 1.10 and is
 * stricter than a server: it refuses unknown fields, and filters on keys without a payload index.
 */
export interface QdrantStandIn {
  url: string;
  /** Number of calls per route: `PUT /collections/{name}/points`. */
  calls: Map<string, number>;
  /** True if searches through the index miss rows, like graphs under a filter; exact searches do not. */
  forgetful: boolean;
  crash(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function startQdrantStandIn({ apiKey }: { apiKey?: string } = {}): Promise<QdrantStandIn> {
  const collections = new Map<string, StandInCollection>();
  const standIn: QdrantStandIn = {
    url: "",
    calls: new Map(),
    forgetful: false,
    async crash() {
      await server.stop(true);
    },
    async start() {
      server = listen(Number(new URL(standIn.url).port));
    },
    stop: () => standIn.crash(),
  };

  const answer = async (request: Request): Promise<Response> => {
    if (apiKey !== undefined && request.headers.get("api-key") !== apiKey)
      return new Response("Must provide an API key or an Authorization bearer token", { status: 401 });
    try {
      return Response.json({ result: await route(request), status: "ok", time: 0.0001 });
    } catch (thrown) {
      const { status, message } =
        thrown instanceof QdrantRefusal ? thrown : { status: 500, message: String(thrown) };
      return Response.json({ status: { error: message }, time: 0.0001 }, { status });
    }
  };

  const route = async (request: Request): Promise<unknown> => {
    const { pathname, searchParams } = new URL(request.url);
    const [, root, name, ...rest] = pathname.split("/").map(decodeURIComponent);
    const operation = `${request.method} ${["", root, name && "{name}", ...rest].filter((part) => part !== undefined).join("/")}`;
    standIn.calls.set(operation, (standIn.calls.get(operation) ?? 0) + 1);
    const body = request.body === null ? undefined : await readBody(request);
    if (operation === "GET /collections")
      return { collections: [...collections.keys()].map((one) => ({ name: one })) };
    if (root !== "collections" || name === undefined) throw new QdrantRefusal(404, "");
    if (operation === "PUT /collections/{name}") {
      if (collections.has(name)) throw new QdrantRefusal(409, `Collection \`${name}\` already exists!`);
      collections.set(name, StandInCollection.create(name, body));
      return true;
    }
    if (operation === "DELETE /collections/{name}") return collections.delete(name);
    const collection = collections.get(name);
    if (!collection) throw new QdrantRefusal(404, `Not found: Collection \`${name}\` doesn't exist!`);
    const isAwaited = searchParams.get("wait") === "true";
    if (request.method !== "GET" && rest.length > 0 && isWrite(operation) && !isAwaited)
      throw new QdrantRefusal(400, "This stand-in wants wait=true: an unawaited write may be lost.");
    switch (operation) {
      case "GET /collections/{name}":
        return collection.describe();
      case "PUT /collections/{name}/index":
        return collection.index(body);
      case "PUT /collections/{name}/points":
        return collection.upsert(body);
      case "POST /collections/{name}/points/query":
        return collection.query(body, standIn.forgetful);
      case "POST /collections/{name}/points/delete":
        return collection.delete(body);
      case "POST /collections/{name}/points/count":
        return collection.count(body);
      case "POST /collections/{name}/points/scroll":
        return collection.scroll(body);
      default:
        throw new QdrantRefusal(404, "");
    }
  };

  const listen = (port: number) =>
    Bun.serve({
      hostname: "127.0.0.1",
      port,
      reusePort: false,
      idleTimeout: 0,
      maxRequestBodySize: 32 * 1024 * 1024,
      fetch: answer,
    });
  let server = listen(0);
  standIn.url = `http://127.0.0.1:${server.port}`;
  return standIn;
}

const isWrite = (operation: string) => /\/(points|index|points\/delete)$/.test(operation);
