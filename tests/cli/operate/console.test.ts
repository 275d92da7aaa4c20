import { expect, test } from "bun:test";
import { AppError } from "../../../src/kit/app-error.ts";
import { configWith, say } from "../recording-shell.ts";

const link = { url: "http://127.0.0.1:8000/#open=once", expires_at: "2026-01-01T00:10:00.000Z" };
const parts = { loadConfig: async () => configWith({}), consoleLink: async () => link };

test("the link alone goes to stdout, to be opened or handed on", async () => {
  expect(await say(["console"], { parts })).toEqual({ code: 0, stdout: `${link.url}\n`, stderr: "" });
});

test("--json adds until when it is good", async () => {
  const { code, stdout } = await say(["console", "--json"], { parts });
  expect([code, JSON.parse(stdout)]).toEqual([0, link]);
});

test("without a server it says how to start one", async () => {
  const consoleLink = async () => {
    throw new AppError("unavailable", "no_server", "No server runs.", { details: { hint: "Start one." } });
  };
  const { code, stdout, stderr } = await say(["console"], { parts: { ...parts, consoleLink } });
  expect([code, stdout, stderr]).toEqual([1, "", "error: No server runs.\nStart one.\n"]);
});
