import { type CommandParts, type Ending, runCommand, type Sidecar } from "./sidecar.ts";

const everyMs = 10_000;
const patienceMs = 8_000;

/**
 * Returns the server that already serves a workspace, such as one of `argosy serve` in a terminal or of `argosy service`; undefined if there is
 * none. The app is then one of its readers: it never stops it.
 */
export async function attachServer(parts: CommandParts, workspace: string): Promise<Sidecar | undefined> {
  const link = async () => {
    const { url } = await runCommand(parts, ["console", "--json", "--workspace", workspace]);
    return String(url);
  };
  // Without a server, and with faults that a start reports as well, the app starts its own.
  const first = await link().catch(() => undefined);
  const origin = first === undefined ? undefined : URL.parse(first)?.origin;
  if (first === undefined || origin === undefined) return undefined;
  let unused: string | undefined = first;
  const end = Promise.withResolvers<Ending>();
  const cancel = watchHealth(origin, parts, () => end.resolve({ wanted: false, how: "its other program" }));
  return {
    isOwn: false,
    origin,
    async waiting() {
      const { approvals } = await runCommand(parts, ["approvals", "--json", "--workspace", workspace]);
      return Array.isArray(approvals) ? approvals : [];
    },
    async link() {
      const known = unused;
      unused = undefined;
      return known ?? link();
    },
    ended: end.promise,
    async stop() {
      cancel();
      end.resolve({ wanted: true, how: "detached" });
    },
  };
}

/** Asks every 10 s whether the server still answers; twice without an answer, and it is gone. */
function watchHealth(origin: string, { timer }: CommandParts, gone: () => void): () => void {
  let misses = 0;
  const stopped = new AbortController();
  let cancelNext = () => {};
  const look = async () => {
    const tooLong = new AbortController();
    const cancel = timer(patienceMs, () => tooLong.abort());
    const signal = AbortSignal.any([stopped.signal, tooLong.signal]);
    const { ok } = await fetch(`${origin}/healthz`, { signal }).catch(() => ({ ok: false }));
    cancel();
    if (stopped.signal.aborted) return;
    misses = ok ? 0 : misses + 1;
    if (misses >= 2) gone();
    else cancelNext = timer(everyMs, () => void look());
  };
  cancelNext = timer(everyMs, () => void look());
  return () => {
    stopped.abort();
    cancelNext();
  };
}
