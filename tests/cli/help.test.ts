import { expect, test } from "bun:test";
import { createProgram, createProgramFor } from "../../src/cli/program.ts";
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

const nothing = async () => {};

test.each(createProgram(nothing).commands.map((command) => [command.name(), command] as const))(
  "%s alone is the command that it is among the others, and completion and installation know all of them",
  (name, command) => {
    const { commands } = createProgramFor([name], nothing);
    const own = commands.find((one) => one.name() === name);
    expect(own?.helpInformation()).toBe(command.helpInformation());
    const isWhole = ["install", "completion"].includes(name);
    expect(commands.length).toBeGreaterThan(isWhole ? 40 : 0);
    if (name !== "help" && command.helpGroup() !== "This program:") expect(commands).toHaveLength(1);
  },
);

test("serve --help has every service with its port and the variables of the port", async () => {
  const { stdout } = await say(["serve", "--help"]);
  const lines = stdout.split("\n").map((line) => line.trim().split(/\s+/).join(" "));
  for (const { name, port, portVariables } of services) {
    expect(lines).toContain(`${name} ${port} ${portVariables.join(", ")}`);
  }
  expect(stdout.replaceAll(/\s+/g, "")).toContain(services.map(({ name }) => name).join(","));
});
