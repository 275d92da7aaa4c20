import { chmodSync, cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { root } from "../../docs/fenced-blocks.ts";
import { pdfFile } from "../../support/pdf-file.ts";
import { program } from "../../support/program.ts";
import { readToEnd } from "../../support/read-to-end.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

/** Output and exit code of a script. */
export interface Followed {
  code: number;
  stdout: string;
  stderr: string;
}

/** The machine of a reader who follows the pages: a home, `argosy` on the PATH, and a server once the README has been followed. */
export interface FollowedWorkspace extends AsyncDisposable {
  /** The workspace that the README creates. */
  workspace: string;
  follow(script: string): Promise<Followed>;
  /** Starts the server of the workspace unless it is running. */
  serve(): Promise<void>;
  ask(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
}

const services = "daemon,platform,gateway,translator";

/** Replaces `argosy serve`: one server serves every page. Another test parses its arguments. */
const argosyScript = `#!/bin/sh
[ "$1" = serve ] && exit 0
exec ${program.map((word) => `"${word}"`).join(" ")} "$@"
`;

/** The real curl, redirected to the server's port; an HTTP error fails the script. */
const curlScript = `#!/bin/bash
arguments=()
for argument in "$@"; do
  argument="\${argument/localhost:8000/127.0.0.1:$ARGOSY_DOCS_PORT}"
  arguments+=("\${argument/127.0.0.1:8000/127.0.0.1:$ARGOSY_DOCS_PORT}")
done
exec /usr/bin/curl --silent --show-error --write-out "\\n" --fail-with-body --max-time 30 "\${arguments[@]}"
`;

export function followedWorkspace(): FollowedWorkspace {
  const folder = temporaryFolder();
  const programs = join(folder.path, "bin");
  const workspace = join(folder.path, "desk");
  mkdirSync(programs);
  for (const [name, script] of Object.entries({ argosy: argosyScript, curl: curlScript })) {
    writeFileSync(join(programs, name), script);
    chmodSync(join(programs, name), 0o755);
  }
  let port = 0;
  let server: Subprocess | undefined;
  const environment = () => ({
    HOME: folder.path,
    PATH: `${programs}:/usr/bin:/bin`,
    PLATFORM_AUTO_CONFIG: "false",
    ARGOSY_DOCS_PORT: String(port),
  });
  return {
    workspace,
    async follow(script) {
      const child = Bun.spawn(["bash", "-e", "-o", "pipefail", "-c", script], {
        cwd: existsSync(workspace) ? workspace : folder.path,
        env: environment(),
        stdio: ["ignore", "pipe", "pipe"],
      });
      return readToEnd(child);
    },
    async serve() {
      if (server !== undefined) return;
      const child = Bun.spawn(
        [...program, "serve", "--json", "--services", services, "--enable-webchat", "--port", "0"],
        {
          cwd: workspace,
          env: { ...environment(), GATEWAY_EMULATOR: "true" },
          stdio: ["ignore", "pipe", "ignore"],
        },
      );
      server = child;
      const ready: { services: { url: string }[] } = JSON.parse(await firstLine(child.stdout));
      port = Number(new URL(ready.services[0]?.url ?? "").port);
    },
    async ask(method, path, body) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return (await answer.json()) as Record<string, unknown>;
    },
    async [Symbol.asyncDispose]() {
      server?.kill("SIGKILL");
      await server?.exited;
      folder[Symbol.dispose]();
    },
  };
}

async function firstLine(output: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of output) {
    text += new TextDecoder().decode(chunk);
    if (text.includes("\n")) break;
  }
  return text.split("\n", 1)[0] ?? "";
}

/** Adds the pages' own documents, as in the workspace of a reader. */
export function addDocuments(workspace: string): void {
  for (const name of ["docs", "evals", "README.md"])
    cpSync(join(root, name), join(workspace, name), { recursive: true });
  writeFileSync(join(workspace, "docs/old.md"), "# Old\n\nNothing of this holds any more.\n");
  mkdirSync(join(workspace, "rag"), { recursive: true });
  cpSync(join(root, "rag/handbook.rag.yaml"), join(workspace, "rag/handbook.rag.yaml"));
  mkdirSync(join(workspace, "notes"), { recursive: true });
  const pdf = pdfFile({ pages: [["Refunds take ten days."]] });
  writeFileSync(join(workspace, "notes/refunds.pdf"), pdf);
  writeFileSync(join(workspace, "handbook.pdf"), pdf);
}
