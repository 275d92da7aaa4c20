import { expect, test } from "bun:test";
import { fetchFiles } from "../../../src/services/gateway/media/fetch-files.ts";
import { createFileLinks } from "../../../src/services/gateway/media/file-links.ts";
import { sniffType } from "../../../src/services/gateway/media/sniff-type.ts";
import { fileBytesMax, sweepFiles } from "../../../src/services/gateway/media/store.ts";
import {
  asA,
  asAdmin,
  asB,
  deliver,
  processAll,
  startGateway,
  type TestGateway,
} from "../../support/gateway.ts";
import { onEachEngine, sqliteEngine } from "../../support/storage-engines.ts";

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
const pdf = Buffer.from("%PDF-1.7\nhello");

/** Calls with bytes as they are. */
const raw = (
  { url }: TestGateway,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: Uint8Array,
) => fetch(`${url}${path}`, { method, headers, ...(body !== undefined && { body: body as BodyInit }) });

const upload = async (
  gateway: TestGateway,
  bytes: Uint8Array,
  headers: Record<string, string> = asA,
  path = "/api/v1/media?filename=nota.pdf",
) => (await raw(gateway, "POST", path, { ...headers, "content-type": "application/pdf" }, bytes)).json();

/** Delivers a document of a user, and returns the message as the desk reads it. */
async function receive(gateway: TestGateway, account: string, media: object) {
  const value = {
    metadata: { phone_number_id: account },
    messages: [
      {
        id: `wamid.${Math.random()}`,
        from: "5215550001111",
        timestamp: "1773144000",
        type: "document",
        document: media,
      },
    ],
  };
  const entry = [{ changes: [{ field: "messages", value }] }];
  await deliver(gateway, "phone_messenger", { object: "whatsapp_business_account", entry });
  await processAll(gateway);
  const [{ id }] = (await gateway.call("GET", "/admin/conversations", { headers: asAdmin })).body
    .conversations;
  const { messages } = (
    await gateway.call("GET", `/admin/conversations/${id}/messages`, { headers: asAdmin })
  ).body;
  return messages.at(-1).media[0] as { id: string; kind: string };
}

const fetchAll = ({ deps }: TestGateway) => fetchFiles(deps, new AbortController().signal);
const dayMs = 24 * 60 * 60_000;

onEachEngine("a file of a user's message", (engine) => {
  test("is fetched at its receipt, kept sealed, and given to its tenant alone: others get 404", async () => {
    await using gateway = await startGateway(engine);
    await gateway.account("a", "phone_messenger", "PN1");
    const bytes = Buffer.concat([pdf, Buffer.alloc(1_200_000, "x")]);
    gateway.files.set("m1", { bytes, mimeType: "text/html" });
    const media = await receive(gateway, "PN1", {
      id: "m1",
      mime_type: "text/html",
      filename: "año (1).pdf",
    });
    expect((await raw(gateway, "GET", `/api/v1/media/${media.id}`, asA)).status).toBe(404);
    await fetchAll(gateway);
    for (const [path, headers] of [
      [`/api/v1/media/${media.id}`, asA],
      [`/admin/media/${media.id}`, asAdmin],
    ] as const) {
      const answer = await raw(gateway, "GET", path, headers);
      expect(answer.status).toBe(200);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "content-type": "application/pdf",
        "content-disposition": "attachment; filename*=UTF-8''a%C3%B1o%20%281%29.pdf",
        "x-content-type-options": "nosniff",
        "content-security-policy": "sandbox; default-src 'none'",
      });
      expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
    }
    expect((await raw(gateway, "GET", `/api/v1/media/${media.id}`, asB)).status).toBe(404);
    expect((await raw(gateway, "GET", `/api/v1/media/${media.id}`, {})).status).toBe(401);
    const { storage } = gateway.deps;
    const chunks = await storage.read.select().from(storage.tables.mediaChunks);
    expect(chunks).toHaveLength(3);
    for (const { sealed } of chunks) expect(sealed).not.toContain("x".repeat(20));
    const stats = (await gateway.call("GET", "/admin/stats?tenant=a&storage=true", { headers: asAdmin }))
      .body;
    expect(stats.storage.stored_bytes).toBeGreaterThan(bytes.length);
  });

  test("that its provider doesn't give is tried five times, and then 404", async () => {
    await using gateway = await startGateway(engine);
    await gateway.account("a", "phone_messenger", "PN1");
    let calls = 0;
    const media = await receive(gateway, "PN1", { id: "m1" });
    const deps = { ...gateway.deps, media: { fetch: async () => void calls++ } };
    for (let round = 0; round < 8; round++) {
      await fetchFiles(deps, new AbortController().signal);
      await gateway.clock.advance(1_800_000);
    }
    expect(calls).toBe(5);
    expect((await gateway.call("GET", `/admin/media/${media.id}`, { headers: asAdmin })).status).toBe(404);
  });

  test("over which processes die is given up after five tries: 404", async () => {
    await using gateway = await startGateway(engine);
    await gateway.account("a", "phone_messenger", "PN1");
    const media = await receive(gateway, "PN1", { id: "m1" });
    let calls = 0;
    for (let round = 0; round < 8; round++) {
      const dying = new AbortController();
      const fetch = async () => {
        calls++;
        dying.abort();
        throw new Error("the process died");
      };
      await fetchFiles({ ...gateway.deps, media: { fetch } }, dying.signal);
      await gateway.clock.advance(90_000);
    }
    expect(calls).toBe(5);
    expect((await gateway.call("GET", `/admin/media/${media.id}`, { headers: asAdmin })).status).toBe(404);
    const { storage } = gateway.deps;
    expect(await storage.read.select().from(storage.tables.mediaFiles)).toMatchObject([{ state: "gone" }]);
  });

  test("is dropped after 30 days, with its bytes, as are bytes that no file has", async () => {
    await using gateway = await startGateway(engine);
    await gateway.account("a", "phone_messenger", "PN1");
    gateway.files.set("m1", { bytes: pdf, mimeType: "application/pdf" });
    await receive(gateway, "PN1", { id: "m1" });
    await fetchAll(gateway);
    const { storage, clock } = gateway.deps;
    const { mediaChunks, mediaFiles } = storage.tables;
    const orphan = {
      fileId: crypto.randomUUID(),
      part: 0,
      tenantId: "a",
      sealed: "x",
      createdAt: clock.now(),
    };
    await storage.transact((tx) => tx.insert(mediaChunks).values(orphan));
    const left = async () => [
      (await storage.read.select().from(mediaFiles)).length,
      (await storage.read.select().from(mediaChunks)).length,
    ];
    await sweepFiles(gateway.deps);
    expect(await left()).toEqual([1, 2]);
    await gateway.clock.advance(2 * dayMs);
    await sweepFiles(gateway.deps);
    expect(await left()).toEqual([1, 1]);
    await gateway.clock.advance(29 * dayMs);
    await sweepFiles(gateway.deps);
    expect(await left()).toEqual([0, 0]);
  });
});

onEachEngine("an uploaded file", (engine) => {
  test("has an id for the media of a message, with the type of its bytes and its name", async () => {
    await using gateway = await startGateway(engine);
    await gateway.account("a", "phone_messenger", "PN1");
    const file = await upload(gateway, pdf);
    expect(file).toMatchObject({
      kind: "document",
      mime_type: "application/pdf",
      filename: "nota.pdf",
      bytes: pdf.length,
    });
    const to = { channel: "phone_messenger", recipient: "5215550001111" };
    const send = (media: object, headers = asA) =>
      gateway.call("POST", "/api/v1/messages/send", { headers, body: { ...to, media: [media] } });
    expect((await send({ id: file.id, caption: "la nota" })).status).toBe(202);
    const { entries } = (await gateway.call("GET", "/admin/outbox", { headers: asAdmin })).body;
    expect(entries[0].payload.media).toEqual({
      id: file.id,
      kind: "document",
      mime_type: "application/pdf",
      filename: "nota.pdf",
      caption: "la nota",
    });
    await gateway.account("b", "phone_messenger", "PN2");
    expect((await send({ id: file.id }, asB)).status).toBe(404);
    expect((await send({ id: file.id, url: "https://a.example/x" })).status).toBe(400);
    expect((await send({ caption: "x" })).status).toBe(400);
    expect((await send({ url: "https://a.example/x" })).status).toBe(400);
  });

  test("of an operator belongs to the tenant that it names", async () => {
    await using gateway = await startGateway(engine);
    const file = await upload(gateway, png, asAdmin, "/admin/media?tenant_id=b");
    expect(file).toMatchObject({ kind: "image", mime_type: "image/png", filename: null });
    expect((await raw(gateway, "GET", `/api/v1/media/${file.id}`, asB)).status).toBe(200);
    expect((await raw(gateway, "GET", `/api/v1/media/${file.id}`, asA)).status).toBe(404);
  });
});

test("an upload without bytes is 400, a form 415, one that is too long 413, and one without a key 401", async () => {
  await using gateway = await startGateway(sqliteEngine);
  const post = async (body: Uint8Array, headers: Record<string, string>) =>
    (await raw(gateway, "POST", "/api/v1/media", { "content-type": "application/pdf", ...headers }, body))
      .status;
  expect(await post(new Uint8Array(0), asA)).toBe(400);
  expect(await post(pdf, { ...asA, "content-type": "multipart/form-data; boundary=x" })).toBe(415);
  expect(await post(new Uint8Array(fileBytesMax + 1), asA)).toBe(413);
  expect(await post(pdf, {})).toBe(401);
});

test("a file larger than the channel takes is 400", async () => {
  await using gateway = await startGateway(sqliteEngine);
  await gateway.account("a", "phone_messenger", "PN1");
  const large = Buffer.concat([png, Buffer.alloc(5 * 1024 * 1024)]);
  const { id } = await upload(gateway, large);
  const body = { channel: "phone_messenger", recipient: "5215550001111", media: [{ id }] };
  expect((await gateway.call("POST", "/api/v1/messages/send", { headers: asA, body })).status).toBe(400);
  body.media = [{ id, kind: "document" } as never];
  expect((await gateway.call("POST", "/api/v1/messages/send", { headers: asA, body })).status).toBe(202);
});

test.each([
  ["<html><script>x</script></html>", "text/html", "text/plain"],
  ['<svg xmlns="http://www.w3.org/2000/svg"/>', "image/svg+xml", "text/plain"],
  ["alert(1)", "text/javascript", "text/plain"],
  ["a,b\n1,2", "text/csv; charset=utf-8", "text/csv"],
  ["%PDF-1.4", "text/html", "application/pdf"],
  ["OggS\0", "audio/ogg; codecs=opus", "audio/ogg"],
  [
    "PK\x03\x04",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  ],
  ["PK\x03\x04", "text/html", "application/zip"],
  ["\0\0\0\x18ftypmp42", "video/mp4", "video/mp4"],
  ["\0\0\0\x18ftypM4A ", "audio/mp4", "audio/mp4"],
  ["\x01\x02\xff", "text/html", "application/octet-stream"],
])("%j, declared as %s, is %s", (text, declared, type) => {
  expect(sniffType(Buffer.from(text, "latin1"), declared)).toBe(type);
});

test("a file's link opens that file alone: another key is 404", async () => {
  await using gateway = await startGateway(sqliteEngine, (deps) => ({
    ...deps,
    links: createFileLinks(deps.sealer, "https://chat.example.com"),
  }));
  await gateway.account("a", "photo_social", "IG1");
  const [one, other] = [await upload(gateway, png), await upload(gateway, png)];
  const body = { channel: "photo_social", recipient: "1", media: [{ id: one.id }] };
  expect((await gateway.call("POST", "/api/v1/messages/send", { headers: asA, body })).status).toBe(202);
  const { entries } = (await gateway.call("GET", "/admin/outbox", { headers: asAdmin })).body;
  const link = new URL(entries[0].payload.media.url);
  expect(link.origin).toBe("https://chat.example.com");
  const read = async (path: string) => (await raw(gateway, "GET", path, {})).status;
  expect(await read(link.pathname + link.search)).toBe(200);
  expect(await read(`/files/${other.id}${link.search}`)).toBe(404);
  expect(await read(`/files/${one.id}?key=x`)).toBe(404);
  expect(await read(`/files/${one.id}`)).toBe(400);
});

test("without a public address, photo_social takes files by url only: 400", async () => {
  await using gateway = await startGateway(sqliteEngine, (deps) => ({
    ...deps,
    links: createFileLinks(deps.sealer, undefined),
  }));
  await gateway.account("a", "photo_social", "IG1");
  const { id } = await upload(gateway, png);
  const body = { channel: "photo_social", recipient: "1", media: [{ id }] };
  expect((await gateway.call("POST", "/api/v1/messages/send", { headers: asA, body })).status).toBe(400);
});
