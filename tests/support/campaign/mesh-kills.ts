import { askKeyed, startMeshLoad } from "./mesh-load.ts";
import { fallbackText, nodeNames, startMeshWorld, streamedPieces } from "./mesh-world.ts";

export interface MeshKills {
  kills: number;
  /** If true, every second node is paused instead: 3 seconds, and every fifth time 12, longer than the lease of its runs. */
  pauses: boolean;
  /** Time from one fault to the next. */
  everyMs: number;
  onKill?: (kills: number) => void;
}

/** Broken promises of the mesh in `faults`; `lines` describe the campaign. */
export interface MeshLosses {
  lines: string[];
  faults: string[];
  /** Runs whose answer a caller got. */
  acknowledged: number;
  kills: number;
  pauses: number;
}

/**
 * Kills the nodes of a mesh in turn, or pauses them, while callers run agents, read streams and write to a channel on all of them. Afterwards
 * asks for every run again on another node, and compares answers, charges, holds and messages.
 */
export async function killMesh(options: MeshKills): Promise<MeshLosses> {
  const lines: string[] = [];
  /** Acceptances of the messaging provider, by the gateway's message id and by text. */
  const acceptances = new Map<string, number>();
  const repliedAt = new Map<string, number[]>();
  const receipts: string[] = [];
  /** Messages of which a gateway knows that the provider accepted them. */
  const confirmed = new Set<string>();
  let doubled = 0;
  let ambiguous = 0;

  await using world = await startMeshWorld(
    ({ body }) => {
      const last = JSON.stringify(body.messages.at(-1)?.content);
      if (last.includes("stream-")) return { text: streamedPieces, after: Bun.sleep(30) };
      const query = /(order|cap|ask)-\d+/.exec(last)?.[0];
      return { text: `answer to ${query}`, usage: { input: 600, output: 600 }, after: Bun.sleep(50) };
    },
    ({ body, text }) => {
      const id = body.biz_opaque_callback_data as string | undefined;
      if (id === undefined) return {};
      const earlier = acceptances.get(id) ?? 0;
      if (earlier > 0) {
        if (confirmed.has(id)) doubled++;
        else ambiguous++;
      }
      acceptances.set(id, earlier + 1);
      repliedAt.set(text, [...(repliedAt.get(text) ?? []), performance.now()]);
      receipts.push(id);
      return { after: Bun.sleep(20) };
    },
  );
  const { mesh } = world;
  const load = startMeshLoad(world);
  const { log } = load;
  const nodeOf = (number: number) => nodeNames[number % nodeNames.length] ?? "a";

  let isOver = false;
  /** Reports each message that the provider accepted, until a gateway confirms it. */
  const reports = (async () => {
    for (let turn = 0; !isOver || receipts.length > 0; turn++) {
      const id = receipts[0];
      const isTold = id !== undefined && (await world.receipt(nodeOf(turn), id).catch(() => false));
      if (isTold) confirmed.add(receipts.shift() as string);
      else await Bun.sleep(20);
    }
  })();

  const startedAt = performance.now();
  let kills = 0;
  let pauses = 0;
  for (let round = 0; kills < options.kills; round++) {
    const name = nodeOf(round);
    const at = performance.now();
    log.failedAt = at;
    if (options.pauses && round % 2 === 1) {
      const node = mesh.get(name);
      node.kill("SIGSTOP");
      await Bun.sleep(pauses % 5 === 4 ? 12_000 : 3_000);
      node.kill("SIGCONT");
      pauses++;
    } else {
      mesh.get(name).kill("SIGKILL");
      await mesh.get(name).exited;
      await mesh.restart(name);
      kills++;
      options.onKill?.(kills);
    }
    await Bun.sleep(Math.max(0, options.everyMs - (performance.now() - at)));
  }
  await mesh.converged(...nodeNames);
  await load.end();

  /** Resolves to the seconds until `isSo`, or undefined if that takes longer than `secondsMax`. */
  async function secondsUntil(isSo: () => boolean | Promise<boolean>, secondsMax: number) {
    const from = performance.now();
    while (!(await isSo())) {
      if (performance.now() - from > secondsMax * 1_000) return undefined;
      await Bun.sleep(100);
    }
    return Math.round((performance.now() - from) / 100) / 10;
  }
  const tenants = { busy: world.busy, capped: world.capped, chatty: world.chatty };
  const answerTo = (text: string) => repliedAt.get(`answer to ${text}`) ?? [];
  const unanswered = () => [...log.asked.keys()].filter((text) => answerTo(text).length === 0);
  const fallbacks = () => repliedAt.get(fallbackText)?.length ?? 0;
  const answered = await secondsUntil(() => unanswered().length <= fallbacks(), 180);
  const released = await secondsUntil(async () => {
    const seen = await Promise.all(Object.values(tenants).map((tenant) => world.credits("a", tenant)));
    return seen.every(({ held }) => held === 0);
  }, 60);
  if (answered === undefined) {
    log.faults.push(`messages without an answer: ${unanswered().length}, fallback messages: ${fallbacks()}`);
  }
  if (released === undefined) log.faults.push("holds that were not released within a minute");
  if (doubled > 0) log.faults.push(`${doubled} messages sent again although the receipt had arrived`);

  // Each run once more, on another node. What was acknowledged is answered without a call of the model.
  let lost = 0;
  let repeated = 0;
  const sums = new Map([...Object.values(tenants)].map(({ id }) => [id, 0]));
  for (const [index, keyed] of log.keyed.entries()) {
    const callsBefore = mesh.models.requests.length;
    const again = await askKeyed(world, nodeOf(index + 1), keyed);
    if (keyed.answer !== undefined) {
      if (again?.status !== 200 || again.body.answer !== keyed.answer) {
        lost++;
        log.faults.push(
          `${keyed.key} was ${keyed.answer}, now ${again?.status} ${JSON.stringify(again?.body)}`,
        );
      }
      repeated += mesh.models.requests.length - callsBefore;
    }
    const charged = again?.body?.credits_charged_micros ?? 0;
    sums.set(keyed.tenant.id, (sums.get(keyed.tenant.id) ?? 0) + charged);
  }
  if (repeated > 0) log.faults.push(`${repeated} acknowledged runs called the model again`);
  for (const [name, tenant] of Object.entries({ busy: world.busy, capped: world.capped })) {
    const { charged, held } = await world.credits("b", tenant);
    const sum = sums.get(tenant.id);
    lines.push(`${name}: charged ${charged} micros, sum of its runs ${sum}, held ${held}`);
    if (charged !== sum) log.faults.push(`${name}: charged ${charged}, sum of its runs ${sum}`);
  }
  isOver = true;
  await reports;

  const at = (sorted: readonly number[], share: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  const failovers = log.failoversMs.toSorted((a, b) => a - b);
  const waits = [...log.asked]
    .map(([text, from]) => (answerTo(text)[0] ?? from) - from)
    .toSorted((a, b) => a - b);
  const acknowledged = log.keyed.filter(({ answer }) => answer !== undefined).length;
  lines.push(
    [
      `${kills} kills, ${pauses} pauses in ${Math.round((performance.now() - startedAt) / 1000)} s: ${log.keyed.length} runs,`,
      `${acknowledged} acknowledged, ${lost} of them lost or changed, ${repeated} run again;`,
      `cap reached ${log.capsReached} times, seen ${log.capChecks} times;`,
      `next answer after p95 ${at(failovers, 0.95)} ms, most ${at(failovers, 1)} ms; holds released ${released} s after the end;`,
      `${log.asked.size} messages, answered after p50 ${at(waits, 0.5)}, p95 ${at(waits, 0.95)}, most ${at(waits, 1)} ms;`,
      `${fallbacks()} by the fallback message, ${doubled} doubled, ${ambiguous} sent again without a receipt`,
    ].join(" "),
  );
  lines.push(JSON.stringify(Object.fromEntries([...log.outcomes].toSorted())));
  return { lines, faults: log.faults, acknowledged, kills, pauses };
}
