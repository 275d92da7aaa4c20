import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cpuMs } from "../process-stats.ts";
import type { SideName } from "./attack.ts";
import { gatewayKey } from "./sides.ts";

/** Longest answer of `/healthz`, and the most processor time that the main thread took during one. */
export interface Longest {
  longestMs: number;
  busiestMs: number;
}

/** The executable under attack, with a watch over its health in another process. */
export interface AttackedServer extends AsyncDisposable {
  /** Address of a server that the attacker runs. */
  evil: string;
  urlOf(name: SideName): string;
  /** Processor time of the executable. */
  cpuMs(): number;
  /** Observations since the last call; `machine` is a server that does nothing. */
  longest(): Promise<Record<"platform" | "daemon" | "machine", Longest>>;
}

export const gatewayAdmin = "admin-token-of-the-gateway-with-32-bytes";

/** A server that only answers: what it waits, the machine takes. */
const idleServer =
  'const s = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("ok") }); console.log(s.url.origin)';

const root = join(import.meta.dir, "../../..");
/** With `ATTACK_SOURCE`, the source instead of the executable. */
const executable =
  process.env.ATTACK_SOURCE === undefined
    ? [join(root, "dist/argosy")]
    : [process.execPath, join(root, "src/main.ts")];

const beside = (name: string) => [process.execPath, join(import.meta.dir, name)];

/** Starts `dist/argosy` with its services on free ports. Its model, `house/ok`, is of the operator. */
export async function startAttackedServer(): Promise<AttackedServer> {
  const workspace = mkdtempSync(join(tmpdir(), "argosy-attack-"));
  const children: Bun.Subprocess[] = [];
  const spawn = (command: string[], env: Record<string, string> = {}) => {
    const child = Bun.spawn(command, {
      cwd: workspace,
      env: { PATH: process.env.PATH ?? "", HOME: workspace, ...env },
      stdio: ["pipe", "pipe", process.env.ATTACK_LOG === undefined ? "ignore" : "inherit"],
    });
    children.push(child);
    const lines = linesOf(child.stdout);
    return { child, nextLine: async () => (await lines.next()).value ?? "" };
  };
  const end = async () => {
    for (const child of children) child.kill();
    await Promise.all(children.map((child) => child.exited));
    rmSync(workspace, { recursive: true, force: true });
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => void end().then(() => process.exit(1)));
  }
  try {
    const machineUrl = await spawn([process.execPath, "-e", idleServer]).nextLine();
    const evil = await spawn(beside("hostile-server.ts")).nextLine();
    // On the internet the attacker's server would be reachable; here the operator has opened its address.
    write("runtime.yaml", { spec: { network: { allow: ["127.0.0.1/32"] } } });
    write("providers.yaml", { providers: { house: { type: "vllm", endpoint: `${evil}/house/v1` } } });
    const server = spawn([...executable, "serve", "--json", "--services", "daemon,platform,gateway,cloud"], {
      PLATFORM_PORT: "0",
      ARGOSY_PLATFORM_PORT: "0",
      ARGOSY_GATEWAY_PORT: "0",
      ARGOSY_CLOUD_PORT: "0",
      CLOUD_DEV_LOGIN: "true",
      GATEWAY_ADMIN_TOKEN: gatewayAdmin,
      GATEWAY_SEND_KEYS: `mallory:${gatewayKey}`,
      GATEWAY_EMULATOR: "true",
      PLATFORM_LOG_LEVEL: "warning",
    });
    const { services } = JSON.parse(await server.nextLine()) as { services: { name: string; url: string }[] };
    const urlOf = (name: SideName) =>
      (services.find((one) => one.name === name)?.url ?? "").replace(/\/$/, "");
    await addAccount(urlOf("gateway"));
    const watch = spawn([
      ...beside("health-watch.ts"),
      `${server.child.pid}`,
      urlOf("platform"),
      urlOf("daemon"),
      machineUrl,
    ]);
    return {
      evil,
      urlOf,
      cpuMs: () => cpuMs(server.child.pid),
      async longest() {
        watch.child.stdin.write("\n");
        watch.child.stdin.flush();
        const none = { longestMs: 0, busiestMs: 0 };
        const [platform = none, daemon = none, machine = none] = JSON.parse(
          await watch.nextLine(),
        ) as Longest[];
        return { platform, daemon, machine };
      },
      [Symbol.asyncDispose]: end,
    };
  } catch (thrown) {
    await end();
    throw thrown;
  }

  function write(name: string, value: object): void {
    writeFileSync(join(workspace, name), JSON.stringify(value));
  }
}

/** Adds the account from which the attacker sends. */
async function addAccount(url: string): Promise<void> {
  await fetch(`${url}/admin/accounts`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-admin-token": gatewayAdmin },
    body: JSON.stringify({
      tenant_id: "mallory",
      channel: "phone_messenger",
      external_id: "e",
      emulated: true,
      credentials: { access_token: "token-of-the-bench" },
    }),
  });
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, string> {
  let held = "";
  for await (const bytes of stream) {
    held += new TextDecoder().decode(bytes);
    for (let end = held.indexOf("\n"); end !== -1; end = held.indexOf("\n")) {
      yield held.slice(0, end);
      held = held.slice(end + 1);
    }
  }
  return held;
}
