import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeTree } from "../../scripts/source-tree.ts";

/** A replacement for the program: serves until SIGTERM, and counts the stop requests in `signals`. */
const program = `
import { appendFileSync } from "node:fs";
const [command, ...args] = process.argv.slice(2);
if (command === "run") {
  console.log("ran", args.join(" "));
  process.exit(args.includes("broken") ? 1 : 0);
}
if (command === "agents") {
  const agents = args.includes("empty") ? [] : [{ name: "hello" }];
  console.log(JSON.stringify({ agents }));
  process.exit(0);
}
if (command === "console") {
  console.log("http://127.0.0.1:8000/#open=once", ...args);
  process.exit(0);
}
if (args.includes("taken")) {
  console.log(JSON.stringify({ error: "port_taken", message: "Port 8000 is taken.", hint: "Use --port." }, null, 2));
  process.exit(1);
}
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => { appendFileSync("signals", signal + "\\n"); process.exit(0); });
console.log(JSON.stringify({ services: [{ name: "daemon", url: "http://127.0.0.1:8000" }] }));
setInterval(() => {}, 1000);
`;

function startUp(args: string[]) {
  const root = writeTree({
    "src/main.ts": program,
    "scripts/up.ts": readFileSync(join(import.meta.dir, "../../../scripts/up.ts"), "utf8"),
  });
  const child = Bun.spawn([process.execPath, join(root, "scripts/up.ts"), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const signals = () => readFileSync(join(root, "signals"), "utf8").trim().split("\n");
  return { child, signals, error: () => new Response(child.stderr).text() };
}

test("--once answers, stops the server and ends with 0", async () => {
  const { child, signals } = startUp(["--once", "--workspace", "here", "--port=0"]);
  const output = await new Response(child.stdout).text();
  expect(await child.exited).toBe(0);
  expect(output).toContain("daemon runs at http://127.0.0.1:8000");
  expect(output).toContain("ran hello What time is it in Tokyo? --workspace here\n");
  expect(signals()).toEqual(["SIGTERM"]);
});

test("a workspace without the sample agent is served, and no agent is asked", async () => {
  const { child, signals } = startUp(["--workspace", "empty"]);
  let output = "";
  for await (const chunk of child.stdout) {
    output += new TextDecoder().decode(chunk);
    if (output.includes("until you stop it")) child.kill("SIGINT");
  }
  expect(output).toContain("This workspace has no agent hello");
  expect(output).not.toContain("ran hello");
  expect(await child.exited).toBe(0);
  expect(signals()).toEqual(["SIGTERM"]);
});

test("without --once it serves until a signal, which the server gets once, and ends with 0", async () => {
  const { child, signals } = startUp(["--data", "there"]);
  let output = "";
  for await (const chunk of child.stdout) {
    output += new TextDecoder().decode(chunk);
    if (output.includes("until you stop it")) child.kill("SIGINT");
  }
  expect(output).toContain("http://127.0.0.1:8000/#open=once --data there\n");
  expect(await child.exited).toBe(0);
  expect(signals()).toEqual(["SIGTERM"]);
});

test("a server that does not start: its reason, and a status that says so", async () => {
  const { child, error } = startUp(["--once", "taken"]);
  expect(await error()).toBe("Port 8000 is taken.\nUse --port.\n");
  expect(await child.exited).toBe(1);
});

test("a sample that gives no answer stops the server and fails", async () => {
  const { child, signals, error } = startUp(["--data", "broken"]);
  expect(await error()).toContain("gave no answer");
  expect(await child.exited).toBe(1);
  expect(signals()).toEqual(["SIGTERM"]);
});
