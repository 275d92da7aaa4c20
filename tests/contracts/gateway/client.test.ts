import { expect, test } from "bun:test";
import { gatewayAdminClient, gatewayClient } from "../../../src/contracts/gateway/client.ts";
import type { AppError } from "../../../src/kit/app-error.ts";

/** A server with one answer; returns the client's outcome, and the keys that arrived elsewhere. */
async function ask(answer: (elsewhere: string) => Response) {
  const keys: (string | null)[] = [];
  using elsewhere = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      keys.push(request.headers.get("x-gateway-key") ?? request.headers.get("x-admin-token"));
      return Response.json({ message_id: "m", status: "sent", attempts: 0, last_error: null });
    },
  });
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => answer(elsewhere.url.href) });
  const address = { baseUrl: server.url.origin, fetch };
  const refused = (thrown: AppError) => ({ kind: thrown.kind, message: thrown.message });
  const outcome = await gatewayClient(address, "canary-key").getMessage("m").catch(refused);
  const streamed = await gatewayAdminClient(address, "canary-key").events().next().catch(refused);
  return { outcome, streamed, keys };
}

test("a redirect is a refusal, and the key goes nowhere else", async () => {
  const { outcome, streamed, keys } = await ask((elsewhere) => Response.redirect(elsewhere, 307));
  expect(keys).toEqual([]);
  expect(outcome).toEqual({ kind: "upstream_failed", message: "The gateway answered 307." });
  expect<unknown>(streamed).toEqual(outcome);
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
  const refusal = { error: "There is no message m." };
  const { outcome, streamed } = await ask(() => Response.json(refusal, { status: 404 }));
  expect(outcome).toEqual({ kind: "not_found", message: refusal.error });
  expect<unknown>(streamed).toEqual(outcome);
});
