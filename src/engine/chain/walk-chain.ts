import type { ChainLink } from "../../contracts/daemon/runs/run.ts";
import { type AppError, toAppError } from "../../kit/app-error.ts";
import { type ChainLevel, type ChainWalk, factsOf, type Link, type StepFacts } from "./chain.ts";
import { decide, decidingOrder, type Firing } from "./firing.ts";
import { fireLink } from "./run-link.ts";

export interface Walked {
  /** Each link, followed by the links of its agent's chain. */
  links: ChainLink[];
  /** True if a failure stopped this chain. */
  stopped: boolean;
}

/** Outcome of one link, its stand-in and their chains. */
interface Taken extends Walked {
  /** Answer for the following links; undefined if there is none. */
  answer: string | undefined;
}

interface Branch extends Taken {
  steps: ReadonlyMap<string, StepFacts>;
}

type Fired = Extract<Firing, { fires: true }>;

/** Walks a chain and the chains below it. Never throws for a link: if the signal aborts, the walk ends early and skips the rest. */
export function walkChain(walk: ChainWalk, level: ChainLevel): Promise<Walked> {
  const { chain, depth } = level;
  if (depth > walk.depthMax) {
    const links = chain.links.map((link) => skipped(level, link, "max_depth"));
    return Promise.resolve({ links, stopped: false });
  }
  return chain.mode === "parallel" ? walkAtOnce(walk, level) : walkInTurn(walk, level);
}

async function walkInTurn(walk: ChainWalk, level: ChainLevel): Promise<Walked> {
  const walked: Walked = { links: [], stopped: false };
  let soFar = level.said.answer;
  let anyHeld = false;
  for (const link of decidingOrder(level.chain.links)) {
    walked.stopped ||= walk.signal.aborted;
    if (walked.stopped) {
      walked.links.push(skipped(level, link, "upstream_stopped"));
      continue;
    }
    const firing = await decide(link, factsOf(walk, level), anyHeld);
    if (!firing.fires) {
      walked.links.push(skipped(level, link, "condition_false"));
      continue;
    }
    anyHeld ||= link.holds !== undefined && firing.held;
    const { links, stopped, answer } = await takeLink(walk, level, link, firing, soFar);
    walked.links.push(...links);
    walked.stopped = stopped;
    soFar = answer ?? soFar;
  }
  return walked;
}

/** Starts all links with the same facts. A failure with `stop` does not interrupt links that have started. */
async function walkAtOnce(walk: ChainWalk, level: ChainLevel): Promise<Walked> {
  const { chain, said, steps, allowances } = level;
  const facts = factsOf(walk, level);
  let anyHeld = false;
  const fired = new Map<Link, Fired>();
  for (const link of decidingOrder(chain.links)) {
    const firing = await decide(link, facts, anyHeld);
    if (!firing.fires) continue;
    anyHeld ||= link.holds !== undefined && firing.held;
    fired.set(link, firing);
  }
  const shares = allowances.map((allowance) => allowance.split(Math.max(1, fired.size)));
  const branches = [...fired].map(([link, firing], place) => {
    const share = shares.flatMap((parts) => parts[place] ?? []);
    const branch: ChainLevel = { ...level, steps: new Map(steps), allowances: share };
    const taken = takeLink(walk, branch, link, firing, said.answer);
    return taken.then((ended): [Link, Branch] => [link, { ...ended, steps: branch.steps }]);
  });
  const ended = new Map(await Promise.all(branches));
  joinSteps(
    steps,
    chain.links.flatMap((link) => ended.get(link)?.steps ?? []),
  );
  return {
    links: chain.links.flatMap((link) => ended.get(link)?.links ?? skipped(level, link, "condition_false")),
    stopped: [...ended.values()].some(({ stopped }) => stopped),
  };
}

/** Adds the outcomes of branches that began with `steps`. */
function joinSteps(steps: Map<string, StepFacts>, branches: readonly ReadonlyMap<string, StepFacts>[]): void {
  const before = new Map(steps);
  for (const [agent, step] of branches.flatMap((branch) => [...branch])) {
    const isNews = before.get(agent) !== step && (step.status !== "skipped" || !steps.has(agent));
    if (isNews) steps.set(agent, step);
  }
}

async function takeLink(
  walk: ChainWalk,
  level: ChainLevel,
  link: Link,
  fired: Fired,
  soFar: string,
): Promise<Taken> {
  const { query, fault } = await queryOf(walk, level, link, fired, soFar);
  const first = await fireAndFollow(walk, level, link, query, fault);
  const { onError } = link;
  if (first.answer !== undefined || onError === "stop" || walk.signal.aborted) return first;
  if (onError === "continue") return { ...first, stopped: false };
  const second = await fireAndFollow(walk, level, { ...link, agent: onError.standIn, attemptsMax: 1 }, query);
  return { ...second, links: [...first.links, ...second.links] };
}

/** Query for the link's agent. If a template of the link has a fault, the query is the answer so far. */
async function queryOf(
  walk: ChainWalk,
  level: ChainLevel,
  { input }: Link,
  { held, fault }: Fired,
  soFar: string,
): Promise<{ query: string; fault: AppError | undefined }> {
  try {
    return { query: (await input?.(factsOf(walk, level), held)) ?? soFar, fault };
  } catch (thrown) {
    return { query: soFar, fault: fault ?? toAppError(thrown) };
  }
}

/** Runs an agent and then walks its chain. A failure there stops only that chain. */
async function fireAndFollow(
  walk: ChainWalk,
  level: ChainLevel,
  link: Link,
  query: string,
  fault?: AppError,
): Promise<Taken> {
  const { record, said, chain } = await fireLink(walk, level, link, query, fault);
  if (said === undefined) return { links: [record], stopped: true, answer: undefined };
  const taken = { links: [record], stopped: false, answer: said.answer };
  if (chain === undefined) return taken;
  const way = [...level.way, link.agent];
  const depth = level.depth + 1;
  const below = await walkChain(walk, { ...level, chain, agent: link.agent, query, said, depth, way });
  return { ...taken, links: [record, ...below.links] };
}

/** Records a link that did not fire. An earlier outcome of the same agent is kept. */
function skipped(level: ChainLevel, { agent }: Link, reason: NonNullable<ChainLink["reason"]>): ChainLink {
  if (!level.steps.has(agent)) level.steps.set(agent, { status: "skipped" });
  return { agent, depth: level.depth, via: level.agent, status: "skipped", reason, duration_ms: 0 };
}
