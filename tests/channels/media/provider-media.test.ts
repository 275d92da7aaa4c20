import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createProviderMedia } from "../../../src/channels/media/provider-media.ts";
import type { OutboxAccount } from "../../../src/channels/outbox/message-sender.ts";
import type { ChannelName } from "../../../src/contracts/gateway/channels.ts";
import type { ForwardedMedia } from "../../../src/contracts/gateway/messages.ts";
import { credentialsOf } from "../../support/gateway.ts";
import { recordingLogger } from "../../support/recording-logger.ts";
import { testNetwork } from "../../support/test-network.ts";

type Handler = (request: Request) => Response | Promise<Response>;

/** The providers' servers, and one of a stranger. `seen` has each request: server, path and credential. */
const handlers: { provider: Handler; stranger: Handler } = {
  provider: () => new Response(null, { status: 500 }),
  stranger: () => new Response(null, { status: 500 }),
};
const seen: string[] = [];
const serve = (name: "provider" | "stranger") =>
  Bun.serve({
    port: 0,
    idleTimeout: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      seen.push(`${name} ${pathname}${search} ${request.headers.get("authorization") ?? "-"}`);
      return handlers[name](request);
    },
  });
let provider: Bun.Server<undefined>;
let stranger: Bun.Server<undefined>;
beforeAll(() => {
  provider = serve("provider");
  stranger = serve("stranger");
});
afterAll(async () => {
  await provider.stop(true);
  await stranger.stop(true);
});
beforeEach(() => {
  seen.length = 0;
});

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const { log, logged } = recordingLogger();
const accountOn = (channel: ChannelName): OutboxAccount => ({
  id: "acc",
  tenantId: "a",
  channel,
  externalId: "1",
  credentials: credentialsOf(channel),
  emulated: false,
});
const token = "EAAG-access-token-7890";
const bot = credentialsOf("bot_messenger").bot_token ?? "";

function fetchMedia(
  channel: ChannelName,
  media: Partial<ForwardedMedia>,
  { bytesMax = 1000, emulated = false, signal = new AbortController().signal } = {},
) {
  const graph = provider.url.origin;
  const source = createProviderMedia({
    network: testNetwork(),
    baseUrls: { graph: `${graph}/v24.0`, bot: graph },
    log,
  });
  return source.fetch({ ...accountOn(channel), emulated }, { kind: "image", ...media }, bytesMax, signal);
}

/** The provider names this address for each file of WhatsApp. */
const named =
  (url: string): Handler =>
  (request) =>
    new URL(request.url).pathname === "/v24.0/M1" ? Response.json({ url }) : new Response(png);

describe("a file of WhatsApp", () => {
  test("is looked up by its id and downloaded with the account's token", async () => {
    handlers.provider = named(`${provider.url.origin}/files/1`);
    expect(await fetchMedia("phone_messenger", { id: "M1", mimeType: "image/png" })).toEqual({
      bytes: png,
      mimeType: "image/png",
    });
    expect(seen).toEqual([`provider /v24.0/M1 Bearer ${token}`, `provider /files/1 Bearer ${token}`]);
  });

  test("has the type of the answer if the delivery names none", async () => {
    handlers.provider = (request) =>
      request.url.endsWith("/M1")
        ? Response.json({ url: `${provider.url.origin}/f` })
        : new Response(png, { headers: { "content-type": "image/webp" } });
    expect((await fetchMedia("phone_messenger", { id: "M1" }))?.mimeType).toBe("image/webp");
  });

  const strange: [what: string, url: () => string][] = [
    ["an address of this machine", () => `${stranger.url.origin}/x`],
    ["a link-local address", () => "http://169.254.169.254/latest/meta-data"],
    ["a file", () => "file:///etc/passwd"],
    ["no address", () => "not a url"],
  ];
  test.each(strange)("is not fetched from %s, and no one gets the token", async (_, url) => {
    handlers.provider = named(url());
    handlers.stranger = () => new Response(png);
    expect(await fetchMedia("phone_messenger", { id: "M1" })).toBeUndefined();
    expect(seen).toEqual([`provider /v24.0/M1 Bearer ${token}`]);
  });

  test("is not fetched through a redirect to this machine", async () => {
    handlers.provider = (request) =>
      request.url.endsWith("/M1")
        ? Response.json({ url: `${provider.url.origin}/f` })
        : Response.redirect(`${stranger.url.origin}/inside`);
    handlers.stranger = () => new Response(png);
    expect(await fetchMedia("phone_messenger", { id: "M1" })).toBeUndefined();
    expect(seen.filter((one) => one.startsWith("stranger"))).toEqual([]);
  });

  const answers: [what: string, look: Handler, file: Handler][] = [
    [
      "an id that the provider doesn't know",
      () => new Response("{}", { status: 404 }),
      () => new Response(png),
    ],
    ["a look-up without an address", () => Response.json({}), () => new Response(png)],
    ["a look-up that is HTML", () => new Response("<html>"), () => new Response(png)],
    ["a look-up that redirects", () => Response.redirect("https://x.example/"), () => new Response(png)],
    ["a look-up without an end", () => new Response("x".repeat(70_000)), () => new Response(png)],
    ["a file that is gone", () => found(), () => new Response(null, { status: 410 })],
    ["an empty file", () => found(), () => new Response("")],
    ["a larger file than allowed", () => found(), () => new Response(new Uint8Array(1001))],
    ["a file that unpacks to more than allowed", () => found(), () => packed(100_000)],
  ];
  const found = () => Response.json({ url: `${provider.url.origin}/f` });
  const packed = (length: number) =>
    new Response(Bun.gzipSync(new Uint8Array(length)), { headers: { "content-encoding": "gzip" } });
  test.each(answers)("is left out: %s", async (_, look, file) => {
    handlers.provider = (request) => (request.url.endsWith("/M1") ? look(request) : file(request));
    expect(await fetchMedia("phone_messenger", { id: "M1" })).toBeUndefined();
  });

  test("of exactly the allowed size is downloaded", async () => {
    handlers.provider = (request) =>
      request.url.endsWith("/M1") ? found() : new Response(new Uint8Array(1000));
    expect((await fetchMedia("phone_messenger", { id: "M1" }))?.bytes).toHaveLength(1000);
  });
});

describe("a file of Telegram", () => {
  const paths =
    (path: unknown): Handler =>
    (request) =>
      request.url.includes("/getFile")
        ? Response.json({ ok: true, result: { file_path: path } })
        : new Response(png);

  test("is looked up by getFile; the token is never logged", async () => {
    handlers.provider = paths("photos/file 1.jpg");
    expect((await fetchMedia("bot_messenger", { id: "F/1" }))?.bytes).toEqual(png);
    expect(seen).toEqual([
      `provider /bot${bot}/getFile?file_id=F%2F1 -`,
      `provider /file/bot${bot}/photos/file%201.jpg -`,
    ]);
    handlers.provider = () => Response.json({ ok: false, error_code: 400 }, { status: 400 });
    expect(await fetchMedia("bot_messenger", { id: "F1" })).toBeUndefined();
    expect(JSON.stringify(logged)).not.toContain(bot.slice(8));
  });

  test.each([["../../getMe"], ["a/../../getMe"], [7], [undefined], [""]])(
    "with the path %p is left out",
    async (path) => {
      handlers.provider = paths(path);
      expect(await fetchMedia("bot_messenger", { id: "F1" })).toBeUndefined();
      expect(seen).toHaveLength(1);
    },
  );
});

describe("a file of Instagram", () => {
  test("is downloaded from its address, without a token", async () => {
    handlers.provider = () => new Response(png);
    expect((await fetchMedia("photo_social", { url: `${provider.url.origin}/p` }))?.bytes).toEqual(png);
    expect(seen).toEqual(["provider /p -"]);
  });

  test("is not fetched from this machine", async () => {
    handlers.stranger = () => new Response(png);
    expect(await fetchMedia("photo_social", { url: `${stranger.url.origin}/p` })).toBeUndefined();
    expect(seen).toEqual([]);
  });
});

test("nothing is asked for what can't be downloaded", async () => {
  handlers.provider = () => new Response(png);
  const id = "M1";
  expect(await fetchMedia("phone_messenger", { id, isTooLarge: true })).toBeUndefined();
  expect(await fetchMedia("phone_messenger", { kind: "link", url: "https://x.example" })).toBeUndefined();
  expect(await fetchMedia("phone_messenger", {})).toBeUndefined();
  expect(await fetchMedia("bot_messenger", {})).toBeUndefined();
  expect(await fetchMedia("echo", {})).toBeUndefined();
  expect(await fetchMedia("phone_messenger", { id }, { emulated: true })).toBeUndefined();
  expect(await fetchMedia("phone_messenger", { id }, { bytesMax: 0 })).toBeUndefined();
  expect(seen).toEqual([]);
});

test("an aborted download rejects, so that its try is not taken for one without files", async () => {
  const stopped = new AbortController();
  handlers.provider = () => {
    stopped.abort(new Error("stop"));
    return Response.json({ url: `${provider.url.origin}/f` });
  };
  expect(fetchMedia("phone_messenger", { id: "M1" }, { signal: stopped.signal })).rejects.toThrow("stop");
});
