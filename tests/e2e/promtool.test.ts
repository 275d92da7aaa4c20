import { describe, expect, test } from "bun:test";
import { agentFile, startDaemon } from "../support/daemon.ts";
import { readExposition } from "../support/exposition.ts";
import { agentFiles, startMeshNodes } from "../support/mesh-nodes.ts";

const promtool = Bun.which("promtool");

/** Prometheus' own complaints about a metrics page; none for a sound one. */
async function complaintsOf(page: string): Promise<string> {
  const checker = Bun.spawn([promtool ?? "", "check", "metrics"], {
    stdin: new TextEncoder().encode(page),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(checker.stdout).text(),
    new Response(checker.stderr).text(),
    checker.exited,
  ]);
  return out + err;
}

const suite = promtool === null ? describe.skip : describe;

suite("promtool (skipped where it is not installed)", () => {
  test("complains about a metric against the conventions", async () => {
    expect(await complaintsOf("# TYPE runs_milliseconds counter\nruns_milliseconds 1\n")).not.toBe("");
  });

  test("accepts a daemon's metrics after runs that succeed and fail", async () => {
    const steps = [{ text: "Hello." }, { status: 500, body: "{}" }];
    await using daemon = await startDaemon({
      agents: { "helper.agent.yaml": agentFile("helper"), "odd.agent.yaml": agentFile("odd-name") },
      models: { lab: (_, number) => steps[number % 2] ?? { text: "" } },
    });
    for (const agent of ["helper", "odd-name", "helper", "nobody"]) await daemon.run(agent, { query: "Hi" });
    const { text } = await daemon.call("GET", "/metrics");
    expect(await complaintsOf(text)).toBe("");
    const runs = readExposition(text).get("platform_agent_runs_total")?.samples ?? [];
    expect(runs.length).toBeGreaterThan(1);
    // A name that a caller made up is not a label.
    expect(text).not.toContain("nobody");
  });

  test("accepts the metrics of each of three nodes of a mesh", async () => {
    await using mesh = await startMeshNodes({
      agents: { a: {}, b: agentFiles("helper"), c: agentFiles("helper") },
      models: () => ({ text: "Hello." }),
    });
    await mesh.converged("a", "b", "c");
    for (let run = 0; run < 4; run++) {
      expect((await mesh.get("a").run("helper", "Hi", `s${run}`)).status).toBe(200);
    }
    for (const node of ["a", "b", "c"]) {
      const { text } = await mesh.get(node).call("GET", "/metrics");
      expect(readExposition(text).has("platform_runs_in_flight")).toBe(true);
      expect(await complaintsOf(text)).toBe("");
    }
  });
});
