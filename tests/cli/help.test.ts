import { expect, test } from "bun:test";
import { createProgram } from "../../src/cli/program.ts";
import { services } from "../../src/compose/services.ts";
import { say } from "./recording-shell.ts";

test("--help shows every command once, each under a heading", async () => {
  const { commands } = createProgram(async () => {});
  const { stdout } = await say(["--help"]);
  const listed = stdout
    .slice(stdout.indexOf("Run agents:"))
    .split("\n")
    .flatMap((line) => /^ {2}(\S+)/.exec(line)?.[1] ?? []);
  expect(listed.filter((name) => name !== "help").sort()).toEqual(
    commands.map((command) => command.name()).sort(),
  );
  expect(commands.filter((command) => command.helpGroup() === "")).toEqual([]);
});

test("serve --help has every service with its port and the variables of the port", async () => {
  const { stdout } = await say(["serve", "--help"]);
  const lines = stdout.split("\n").map((line) => line.trim().split(/\s+/).join(" "));
  for (const { name, port, portVariables } of services) {
    expect(lines).toContain(`${name} ${port} ${portVariables.join(", ")}`);
  }
  expect(stdout.replaceAll(/\s+/g, "")).toContain(services.map(({ name }) => name).join(","));
});
