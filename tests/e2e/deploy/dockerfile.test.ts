import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createProgram } from "../../../src/cli/program.ts";
import { services } from "../../../src/compose/services.ts";
import { argosy, executableTest, startServer } from "../../support/executable.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const text = readFileSync(join(import.meta.dir, "../../../deploy/Dockerfile"), "utf8");

/** Returns the arguments of an instruction, one for each time it occurs. */
const instructions = (name: string) =>
  text.split("\n").flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : []));

describe("the Dockerfile", () => {
  const variables = Object.fromEntries(
    instructions("ENV").flatMap((line) =>
      line.split(" ").map((entry) => entry.split("=") as [string, string]),
    ),
  );

  test("runs as an account without rights, which owns its folders", () => {
    expect(instructions("USER")).toEqual(["argosy"]);
    expect(instructions("RUN").join("\n")).toContain(
      `chown argosy ${variables.ARGOSY_WORKSPACE} ${variables.ARGOSY_DATA}`,
    );
    expect(text.indexOf("\nUSER ")).toBeLessThan(text.indexOf("\nENTRYPOINT "));
  });

  test("keeps the data in a volume and publishes every service's port", () => {
    expect(instructions("VOLUME")).toEqual([variables.ARGOSY_DATA ?? ""]);
    expect(instructions("EXPOSE")[0]?.split(" ").map(Number).sort()).toEqual(
      services.map(({ port }) => port).sort(),
    );
  });

  test("its entry point and health check are calls of the executable", () => {
    const [entry = ""] = instructions("ENTRYPOINT");
    const [, check = ""] = (instructions("HEALTHCHECK")[0] ?? "").split(" CMD ");
    expect(JSON.parse(entry)).toEqual(["argosy"]);
    const names = createProgram(async () => {}).commands.map((command) => command.name());
    const [program, command] = JSON.parse(check);
    expect([program, names.includes(command)]).toEqual(["argosy", true]);
  });
});

executableTest(
  "with its variables, the server is reachable only with the token, and the health check sees it",
  async () => {
    using folder = temporaryFolder();
    await argosy(folder.path, ["init"]);
    const open = await argosy(folder.path, ["serve", "--port", "0", "--services", "daemon"], {
      env: { ARGOSY_HOST: "0.0.0.0" },
    });
    expect([open.code, open.stderr]).toEqual([2, expect.stringContaining("PLATFORM_API_TOKEN")]);
    expect(await argosy(folder.path, ["health"])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("no server"),
    });
    const token = "t".repeat(40);
    await using server = await startServer(folder.path, {
      services: ["daemon"],
      env: { ARGOSY_HOST: "0.0.0.0", PLATFORM_API_TOKEN: token },
    });
    const agents = (headers: HeadersInit) =>
      fetch(`${server.url}/v1/agents`, { headers }).then(({ status }) => status);
    expect([await agents({}), await agents({ authorization: `Bearer ${token}` })]).toEqual([401, 200]);
    const checked = await argosy(folder.path, ["health", "--services", "daemon"]);
    expect(checked).toMatchObject({ code: 0, stdout: "✓ daemon\n" });
    // A service that was expected and does not run is a failure.
    expect(await argosy(folder.path, ["health", "--services", "daemon,platform"])).toMatchObject({ code: 1 });
  },
);
