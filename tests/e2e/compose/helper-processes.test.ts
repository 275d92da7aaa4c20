import { expect, test } from "bun:test";
import { childCommand, ownCommand } from "../../../src/compose/child-command.ts";
import { becomeHelper } from "../../../src/compose/helper-processes.ts";

test.each([[[]], [["serve"]], [["onnx-child", "more"]], [["more", "onnx-child"]]])(
  "%j are arguments of the command line",
  (args) => {
    expect(becomeHelper(args)).toBe(false);
  },
);

test("a command of its own is one of the whole program, also from source", async () => {
  const child = Bun.spawn([...ownCommand("version"), "--json"], { stdout: "pipe", stderr: "inherit" });
  expect(JSON.parse(await new Response(child.stdout).text())).toHaveProperty("version");
});

test("a helper process takes what is not a helper's name for no command", async () => {
  const child = Bun.spawn(childCommand("version"), { stdout: "pipe", stderr: "inherit" });
  expect(await new Response(child.stdout).text()).toBe("");
});
