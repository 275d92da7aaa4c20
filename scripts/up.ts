import { join } from "node:path";

const sample = { agent: "hello", question: "What time is it in Tokyo?" };

const root = join(import.meta.dir, "..");
const main = join(root, "src/main.ts");
const args = process.argv.slice(2).filter((arg) => arg !== "--once");
const once = process.argv.includes("--once");

/** What `argosy serve --json` says in one line when it is ready, or why it is not. */
type ServeAnswer = { services: { name: string; url: string }[] } | { message: string; hint?: string };

// A process group of its own: Ctrl-C reaches this script alone, which hands it on exactly once.
// Should this script be killed, --no-orphans ends the server with it.
const server = Bun.spawn([process.execPath, "--no-orphans", main, "serve", "--json", ...args], {
  cwd: root,
  // What is changed in the console is written to the files under agents/.
  env: { PLATFORM_LOG_LEVEL: "warning", PLATFORM_PERSIST_AGENTS: "1", ...process.env },
  // Not the terminal itself, where the server would tell for itself what this script tells.
  stdio: ["ignore", "pipe", "pipe"],
  detached: true,
});
void server.stderr.pipeTo(new WritableStream({ write: (chunk) => void process.stderr.write(chunk) }));
let stopping = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => {
    stopping = true;
    server.kill("SIGTERM");
  });

process.exitCode = await up();

async function up(): Promise<number> {
  const answer = await firstDocument(server.stdout);
  if (answer === undefined || !("services" in answer)) {
    if (answer) console.error([answer.message, answer.hint].filter(Boolean).join("\n"));
    const status = await server.exited;
    return stopping ? status : status || 1;
  }
  for (const { name, url } of answer.services) console.log(`${name} runs at ${url}`);
  const link = once ? "" : await openingLink();
  if (link !== "") console.log(`console, once and within ten minutes: ${link}`);

  console.log(`\n> argosy run ${sample.agent} "${sample.question}"\n`);
  const run = Bun.spawn([process.execPath, main, "run", sample.agent, sample.question, ...whereOf(args)], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
  const ran = await run.exited;
  if (stopping) return server.exited;
  if (ran !== 0) console.error(`The sample agent gave no answer (status ${ran}).`);
  if (ran !== 0 || once) {
    server.kill("SIGTERM");
    return (await server.exited) || ran;
  }
  console.log("\nArgosy serves until you stop it (Ctrl-C).");
  return server.exited;
}

/** A link that opens the console as this machine's owner; empty where the console is switched off. */
async function openingLink(): Promise<string> {
  const asked = Bun.spawn([process.execPath, main, "console", ...whereOf(args)], {
    cwd: root,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return (await new Response(asked.stdout).text()).trim();
}

/** The first complete JSON document of a stream; undefined when it ends before. */
async function firstDocument(stream: ReadableStream<Uint8Array>): Promise<ServeAnswer | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    try {
      return JSON.parse(text) as ServeAnswer;
    } catch {
      // Not all of it has come yet.
    }
  }
  return undefined;
}

/** The arguments that say which workspace and data the server uses: the sample's run has to find that server. */
function whereOf(given: readonly string[]): string[] {
  return given.flatMap((arg, at) => {
    if (/^--(workspace|data)=/.test(arg)) return [arg];
    return arg === "--workspace" || arg === "--data" ? [arg, given[at + 1] ?? ""] : [];
  });
}
