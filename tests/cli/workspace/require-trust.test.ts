import { describe, expect, test } from "bun:test";
import { Readable } from "node:stream";
import type { Parts } from "../../../src/command/parts.ts";
import { daemonParts, doneFrame, framesOf, say } from "../recording-shell.ts";

describe("on a terminal, the question", () => {
  const asked = async (answer: string, { served = false } = {}) => {
    const trusted: string[] = [];
    const loads: unknown[] = [];
    const parts = daemonParts({ stream: framesOf(doneFrame("Hello.")) });
    const said = await say(["run", "a", "q"], {
      terminal: true,
      stdin: Readable.from([answer]),
      parts: {
        ...parts,
        reach: async (...given) => {
          loads.push(given[2]);
          return (parts.reach as Parts["reach"])(...given);
        },
        untrustedPrograms: async (_config, options) =>
          served && options?.unlessServed ? [] : ["tools/\u202eevil.ts"],
        trustWorkspace: async (workspace) => {
          trusted.push(workspace);
          return { workspace, trusted: true, programs: [] };
        },
      },
    });
    return { said, trusted, loads };
  };

  test("lists the programs, and a yes is remembered", async () => {
    const { said, trusted, loads } = await asked("y\n");
    expect(said.code).toBe(0);
    expect(said.stderr).toContain("tools/\\u202eevil.ts");
    expect(trusted).toEqual(["/nowhere"]);
    expect(loads).toMatchObject([{ runsAgents: true }]);
  });

  test.each(["n\n", "\n", "yeah\n", "\u0004", ""])("answered with %j opens nothing", async (answer) => {
    const { said, trusted, loads } = await asked(answer);
    expect(said.code).toBe(1);
    expect(said.stderr).toContain("--trust");
    expect({ trusted, loads }).toEqual({ trusted: [], loads: [] });
  });

  test("ends the command with Ctrl-C", async () => {
    const { said, trusted, loads } = await asked("\u0003");
    expect(said.code).toBe(130);
    expect({ trusted, loads }).toEqual({ trusted: [], loads: [] });
  });

  test("is not asked if a running server does the work", async () => {
    expect((await asked("", { served: true })).said.code).toBe(0);
  });
});
