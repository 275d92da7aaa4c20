import { afterAll, beforeAll, expect, test } from "bun:test";
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { renderToStaticMarkup } from "react-dom/server";
import { Router } from "wouter";
import type { Server } from "../../../src/console/api/server.ts";
import { ServerProvider } from "../../../src/console/api/use-server.tsx";
import { MessageBubble } from "../../../src/console/gateway/inbox/message-bubble.tsx";
import { type Session, SessionProvider } from "../../../src/console/session/session.tsx";
import type { ConversationMessage } from "../../../src/contracts/gateway/admin.ts";

const calls: unknown = new Proxy(() => calls, { get: () => calls });
const server = new Proxy({} as Server, {
  get: (_, name) =>
    name === "connection" ? { isLost: () => false, subscribe: () => () => undefined } : calls,
});

const session = { state: {}, signedIn: { gateway: true } } as unknown as Session;

beforeAll(() => void Object.assign(globalThis, { localStorage: { getItem: () => null } }));
afterAll(() => void Reflect.deleteProperty(globalThis, "localStorage"));

/** Returns the text and the markup of a message of ours. */
function shown(change: Partial<ConversationMessage>) {
  const message: ConversationMessage = {
    id: "m",
    conversation_id: "c",
    direction: "outbound",
    kind: "text",
    text: "We open at nine.",
    media: [],
    channel_message_id: "w",
    status: "sent",
    at: "2026-01-01T12:00:00.000Z",
    ...change,
  };
  const html = renderToStaticMarkup(
    <MantineProvider>
      <QueryClientProvider client={new QueryClient()}>
        <ServerProvider server={server}>
          <SessionProvider session={session}>
            <Router ssrPath="/">
              <MessageBubble shown={{ message, others: [] }} before={undefined} />
            </Router>
          </SessionProvider>
        </ServerProvider>
      </QueryClientProvider>
    </MantineProvider>,
  ).replaceAll(/<style.*?<\/style>/gs, "");
  return { html, text: html.replaceAll(/<[^>]*>/g, " ") };
}

test("an answer names the person who wrote it, or else the agent or program", () => {
  expect(shown({ author: "Ana Muñoz", source: "api" }).text).toContain("Ana Muñoz");
  expect(shown({ source: "agent_reply" }).text).toContain("Agent");
  expect(shown({ source: "api" }).text).toContain("Program");
});

test("a message that was refused later has its reason and can be sent again, until it was", () => {
  const refused = shown({ status: "failed", error: "131026: no" }).text;
  expect(refused).toContain("The provider can&#x27;t deliver to this number.");
  expect(refused).toContain("Resend");
  const again = shown({ status: "resent", error: "131026: no" }).text;
  expect(again).toContain("Sent again");
  expect(again).not.toContain("Resend");
  expect(shown({ status: "delivered" }).text).not.toContain("Resend");
});

test("a reply quotes what it answers; of a message that is not stored it says so", () => {
  const quoted = shown({ reply_to: { id: "w1", direction: "inbound", kind: "text", text: "When?" } }).text;
  expect(quoted).toMatch(/In reply to\s*· User/);
  expect(quoted).toContain("When?");
  expect(shown({ reply_to: { id: "w1" } }).text).toContain("A message that is not stored here");
});

test("an edited message has a mark that opens its first wording", () => {
  const { html } = shown({ direction: "inbound", first_text: "Nine?" });
  expect(html).toMatch(/<button[^>]*aria-expanded="false"[^>]*>Edited<\/button>/);
});

test("a stored file is read through the gateway, never from its provider's address", () => {
  const { html } = shown({
    media: [{ kind: "image", id: "f1", url: "https://provider.example/x", file_name: "shelf.png" }],
  });
  expect(html).toContain('aria-label="Open');
  expect(html).not.toContain("provider.example");
});

test("a file that is not stored is a link, and only to a web address", () => {
  const link = (url: string) => shown({ media: [{ kind: "image", url }] }).html;
  expect(link("https://provider.example/x")).toContain('href="https://provider.example/x"');
  expect(link("javascript:alert(1)")).not.toContain("javascript:");
});

test("a voice message shows what it says, or why that is not known", () => {
  const voice = (change: object) =>
    shown({ direction: "inbound", text: "", media: [{ kind: "audio", id: "f1", ...change }] }).text;
  expect(voice({ transcript: "I come at five." })).toMatch(/Transcript\s+I come at five\./);
  expect(voice({ transcript_error: "the model answered 500" })).toContain(
    "No transcript: the model answered 500",
  );
  expect(voice({})).not.toContain("ranscript");
});
