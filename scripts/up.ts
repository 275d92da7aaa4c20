import { join } from "node:path";

const sample = { agent: "hello", question: "What time is it in Tokyo?" };

const root = join(import.meta.dir, "..");
const main = join(root, "src/main.ts");
const args = process.argv.slice(2).filter((arg) => arg !== "--once");
const once = process.argv.includes("--once");

// The repository is the workspace unless another is named, and its code runs already.
const isElsewhere = args.some((arg) => /^--workspace(=|$)/.test(arg)) || process.env.ARGOSY_WORKSPACE;
const trust = isElsewhere ? [] : ["--trust"];

/** The line that `argosy serve --json` prints when it is ready, or its error. */
type ServeAnswer = { services: { name: string; url: string }[] } | { message: string; hint?: string };

// A process group of its own: only this script gets Ctrl-C, and it passes the signal on exactly once. If this script is killed,
// --no-orphans ends the server too.
const server = Bun.spawn([process.execPath, "--no-orphans", main, "serve", "--json", ...trust, ...args], {
  cwd: root,
  // The console writes its changes to the files under agents/.
  env: { PLATFORM_LOG_LEVEL: "warning", PLATFORM_PERSIST_AGENTS: "1", ...process.env },
  // Not the terminal itself, where the server would print the same messages as this script.
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

  const asked = isElsewhere ? await isLoaded(sample.agent) : true;
  if (!asked) console.log(`This workspace has no agent ${sample.agent}, so none is asked now.`);
  const ran = asked ? await askSample() : 0;
  if (stopping) return server.exited;
  if (ran !== 0) console.error(`The sample agent gave no answer (status ${ran}).`);
  if (ran !== 0 || once) {
    server.kill("SIGTERM");
    return (await server.exited) || ran;
  }
  console.log("\nArgosy serves until you stop it (Ctrl-C).");
  return server.exited;
}

/** Lets the sample agent answer. Returns the status of the command. */
async function askSample(): Promise<number> {
  console.log(`\n> argosy run ${sample.agent} "${sample.question}"\n`);
  const run = Bun.spawn(
    [process.execPath, main, "run", sample.agent, sample.question, ...trust, ...whereOf(args)],
    {
      cwd: root,
      stdio: ["ignore", "inherit", "inherit"],
    },
  );
  return run.exited;
}

/** Returns true if the server has an agent of this name. */
async function isLoaded(agent: string): Promise<boolean> {
  const listed = Bun.spawn([process.execPath, main, "agents", "--json", ...trust, ...whereOf(args)], {
    cwd: root,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const text = await new Response(listed.stdout).text();
  if ((await listed.exited) !== 0) return true;
  return (JSON.parse(text) as { agents: { name: string }[] }).agents.some(({ name }) => name === agent);
}

/** Returns a link that opens the console as this machine's owner; empty if the console is disabled. */
async function openingLink(): Promise<string> {
  const asked = Bun.spawn([process.execPath, main, "console", ...whereOf(args)], {
    cwd: root,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return (await new Response(asked.stdout).text()).trim();
}

/** Returns the first complete JSON document of a stream, or undefined if the stream ends before. */
async function firstDocument(stream: ReadableStream<Uint8Array>): Promise<ServeAnswer | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    try {
      return JSON.parse(text) as ServeAnswer;
    } catch {
      // The document is not complete yet.
    }
  }
  return undefined;
}

/** Returns the arguments that select the server's workspace and data, so that the sample run finds that server. */
function whereOf(given: readonly string[]): string[] {
  return given.flatMap((arg, at) => {
    if (/^--(workspace|data)=/.test(arg)) return [arg];
    return arg === "--workspace" || arg === "--data" ? [arg, given[at + 1] ?? ""] : [];
  });
}
