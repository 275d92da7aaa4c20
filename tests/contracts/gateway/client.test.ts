import { expect, test } from "bun:test";
import { gatewayClient } from "../../../src/contracts/gateway/client.ts";

/** A server with one answer; returns the client's outcome, and the keys that arrived elsewhere. */
async function ask(answer: (elsewhere: string) => Response) {
  const keys: (string | null)[] = [];
  using elsewhere = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      keys.push(request.headers.get("x-gateway-key"));
      return Response.json({ message_id: "m", status: "sent", attempts: 0, last_error: null });
    },
  });
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => answer(elsewhere.url.href) });
  const client = gatewayClient({ baseUrl: server.url.origin, fetch }, "canary-key");
  const outcome = await client
    .getMessage("m")
    .catch((thrown) => ({ kind: thrown.kind, message: thrown.message }));
  return { outcome, keys };
}

test("a redirect is a refusal, and the key goes nowhere else", async () => {
  const { outcome, keys } = await ask((elsewhere) => Response.redirect(elsewhere, 307));
  expect(keys).toEqual([]);
  expect(outcome).toEqual({ kind: "upstream_failed", message: "The gateway answered 307." });
});

test("an answer 502 that is not JSON names the address as the likely cause", async () => {
  const { outcome } = await ask(() => new Response("<html>"));
  expect(outcome).toMatchObject({
    kind: "upstream_failed",
    message: expect.stringContaining("not a gateway's"),
  });
  const failed = await ask(() => new Response("<html>", { status: 502 }));
  expect(failed.outcome).toMatchObject({ message: "The gateway answered 502." });
});

test("a refusal has the gateway's message and the kind of its status", async () => {
  const { outcome } = await ask(() => Response.json({ error: "There is no message m." }, { status: 404 }));
  expect(outcome).toEqual({ kind: "not_found", message: "There is no message m." });
});
