/** An object store that keeps its objects in memory. */
export interface S3StandIn extends AsyncDisposable {
  /** Connection options in LanceDB's form. */
  storageOptions: Record<string, string>;
  objects: ReadonlyMap<string, Uint8Array>;
}

/**
 * Simulates an object store with S3's protocol as LanceDB uses it: objects with conditional writes and ranges, listings, multipart uploads.
 * It accepts any key and does not check signatures. It proves that requests follow the protocol's description, not that a real store
 * accepts them.
 */
export function startS3StandIn(): S3StandIn {
  const objects = new Map<string, Uint8Array>();
  const uploads = new Map<string, Map<number, Uint8Array>>();
  const server = Bun.serve({
    port: 0,
    idleTimeout: 0,
    fetch: (request) => answer(request, objects, uploads),
  });
  return {
    objects,
    storageOptions: {
      endpoint: `http://127.0.0.1:${server.port}`,
      aws_access_key_id: "id",
      aws_secret_access_key: "key",
      region: "us-east-1",
      allow_http: "true",
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
}

async function answer(
  request: Request,
  objects: Map<string, Uint8Array>,
  uploads: Map<string, Map<number, Uint8Array>>,
): Promise<Response> {
  const { pathname, searchParams: query } = new URL(request.url);
  const key = decodeURIComponent(pathname.split("/").slice(2).join("/"));
  const body = await request.bytes();
  const uploadId = query.get("uploadId");
  if (request.method === "GET" && key === "") return listing(objects, query);
  if (request.method === "POST" && query.has("delete"))
    return deleteMany(objects, new TextDecoder().decode(body));
  if (request.method === "POST" && query.has("uploads")) {
    const id = crypto.randomUUID();
    uploads.set(id, new Map());
    return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
  }
  if (request.method === "PUT" && uploadId !== null) {
    uploads.get(uploadId)?.set(Number(query.get("partNumber")), body);
    return new Response(null, { headers: { etag: etagOf(body) } });
  }
  if (request.method === "POST" && uploadId !== null) {
    const parts = [...(uploads.get(uploadId) ?? [])].toSorted(([one], [other]) => one - other);
    const whole = Buffer.concat(parts.map(([, part]) => part));
    if (!put(objects, key, whole, request)) return new Response(null, { status: 412 });
    return xml(
      `<CompleteMultipartUploadResult><ETag>${etagOf(whole)}</ETag></CompleteMultipartUploadResult>`,
    );
  }
  if (request.method === "PUT") {
    if (!put(objects, key, body, request)) return new Response(null, { status: 412 });
    return new Response(null, { headers: { etag: etagOf(body) } });
  }
  if (request.method === "DELETE") {
    objects.delete(key);
    return new Response(null, { status: 204 });
  }
  const object = objects.get(key);
  if (object === undefined) return xml("<Error><Code>NoSuchKey</Code></Error>", 404);
  return content(request, object);
}

function put(objects: Map<string, Uint8Array>, key: string, body: Uint8Array, request: Request): boolean {
  if (request.headers.get("if-none-match") === "*" && objects.has(key)) return false;
  objects.set(key, body);
  return true;
}

function content(request: Request, object: Uint8Array): Response {
  const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.get("range") ?? "") ?? [];
  const isRange = from !== "" || to !== "";
  const start = from === "" && isRange ? object.length - Number(to) : Number(from);
  const end = from === "" || to === "" ? object.length : Math.min(Number(to) + 1, object.length);
  const part = object.subarray(start, end);
  const headers: Record<string, string> = {
    etag: etagOf(object),
    "last-modified": "Sat, 01 Jan 2022 00:00:00 GMT",
    "accept-ranges": "bytes",
    ...(isRange ? { "content-range": `bytes ${start}-${end - 1}/${object.length}` } : {}),
  };
  if (request.method === "HEAD") {
    headers["content-length"] = String(object.length);
    return new Response(null, { headers });
  }
  return new Response(Buffer.from(part), { status: isRange ? 206 : 200, headers });
}

function listing(objects: ReadonlyMap<string, Uint8Array>, query: URLSearchParams): Response {
  const prefix = query.get("prefix") ?? "";
  const delimiter = query.get("delimiter") ?? "";
  const after = query.get("start-after") ?? "";
  const folders = new Set<string>();
  let contents = "";
  for (const [key, object] of [...objects].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    if (!key.startsWith(prefix) || key <= after) continue;
    const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
    if (end === -1)
      contents += `<Contents><Key>${Bun.escapeHTML(key)}</Key><LastModified>2022-01-01T00:00:00.000Z</LastModified><ETag>${etagOf(object)}</ETag><Size>${object.length}</Size></Contents>`;
    else folders.add(key.slice(0, end + delimiter.length));
  }
  const common = [...folders].map(
    (folder) => `<CommonPrefixes><Prefix>${Bun.escapeHTML(folder)}</Prefix></CommonPrefixes>`,
  );
  return xml(
    `<ListBucketResult><IsTruncated>false</IsTruncated>${contents}${common.join("")}</ListBucketResult>`,
  );
}

function deleteMany(objects: Map<string, Uint8Array>, body: string): Response {
  const keys = [...body.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = ""]) => key);
  for (const key of keys) objects.delete(key);
  return xml(
    `<DeleteResult>${keys.map((key) => `<Deleted><Key>${key}</Key></Deleted>`).join("")}</DeleteResult>`,
  );
}

const etagOf = (object: Uint8Array) => `"${Bun.hash(object).toString(16)}"`;

const xml = (text: string, status = 200) =>
  new Response(`<?xml version="1.0" encoding="UTF-8"?>${text}`, {
    status,
    headers: { "content-type": "application/xml" },
  });
