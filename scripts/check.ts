import { readdirSync } from "node:fs";
import { join } from "node:path";

export interface CheckResult {
  name: string;
  ok: boolean;
  /** Output of the check; empty if it found nothing. */
  output: string;
  seconds: number;
}

const root = join(import.meta.dir, "..");
const tool = (name: string) => join(root, "node_modules/.bin", name);

/** Runs all checks at once and calls `told` as each ends. */
export async function runChecks(told: (result: CheckResult) => void): Promise<CheckResult[]> {
  const checks: [name: string, command: string[]][] = [
    ["format and lint", [tool("biome"), "check", "--error-on-warnings", "."]],
    // Each further checker, of four by default, checks the libraries again: two take a quarter more CPU time.
    ["types", [tool("tsc"), "--project", ".", "--checkers", "1"]],
    ["imports", [process.execPath, "scripts/check-imports.ts"]],
    ...generators().map((script): [string, string[]] => [
      script.replace(/^generate-|\.ts$/g, "").concat(" up to date"),
      [process.execPath, `scripts/${script}`, "--check"],
    ]),
  ];
  return Promise.all(
    checks.map(async ([name, command]) => {
      const result = await runCheck(name, command);
      told(result);
      return result;
    }),
  );
}

/** Returns the scripts that generate files of the repository. With `--check`, each reports whether the files are up to date. */
const generators = () =>
  readdirSync(join(root, "scripts")).filter((name) => name.startsWith("generate-") && name.endsWith(".ts"));

async function runCheck(name: string, command: string[]): Promise<CheckResult> {
  const startedAt = performance.now();
  const child = Bun.spawn(command, { cwd: root, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, err, status] = await Promise.all([read(child.stdout), read(child.stderr), child.exited]);
  return {
    name,
    ok: status === 0,
    output: `${out}${err}`.trim(),
    seconds: (performance.now() - startedAt) / 1000,
  };
}

const read = (stream: ReadableStream) => new Response(stream).text();

/** Prints one line for a check, and its output if it failed. */
export function tell({ name, ok, output, seconds }: CheckResult): void {
  console.log(`${ok ? "ok    " : "FAILED"} ${name.padEnd(26)} ${seconds.toFixed(1)} s`);
  if (!ok) console.log(output.replaceAll(/^/gm, "  "));
}

if (import.meta.main) {
  const results = await runChecks(tell);
  process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
}
