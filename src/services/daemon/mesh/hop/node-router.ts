import type { MeshEntry } from "../../../../contracts/daemon/mesh.ts";
import type { MeshRun } from "../../../../contracts/daemon/mesh-run.ts";
import type { RunEvent } from "../../../../engine/run-state/run-event.ts";
import { type AppError, toAppError } from "../../../../kit/app-error.ts";
import type { AdmissionGate } from "../../../../kit/concurrency/admission-gate.ts";
import type { NewId } from "../../../../kit/id.ts";
import type { Logger } from "../../../../kit/log.ts";
import { placeRun } from "../../../../mesh/placement.ts";
import type { KeptRun } from "../../durable-runs/caller-runs.ts";
import type { LocatedAgent } from "../../runs/locate-agent.ts";
import type { AdmittedRequest, Placement, RunNode, RunRouter } from "../../runs/run-router.ts";
import { sentRun } from "../../runs/sent-run.ts";
import { callNode, type NodeCallDeps } from "./call-node.ts";
import type { HopMetrics } from "./hop-metrics.ts";

export interface NodeRouterDeps extends NodeCallDeps {
  /** This node as it is now. It has the agents that it can run. */
  own(): MeshEntry;
  /** The other nodes, as last heard of. */
  others(): readonly MeshEntry[];
  baseUrlOf(node: MeshEntry): string;
  /** True if nodes that keep data use one database. */
  sharesData: boolean;
  /** Limits the runs that this node has on others. */
  gate: AdmissionGate;
  newId: NewId;
  metrics: HopMetrics;
  log: Logger;
  /** Keeps a copy of a trace of another node; does nothing where nodes share the traces. */
  keepTrace(done: Extract<RunEvent, { type: "done" }>): void;
}

/** Draws of a session id for each node, so that one of them belongs to the node that is wanted. */
const drawsPerNode = 16;

/** Routes runs to the nodes of a mesh, or to configured peers. */
export class NodeRouter implements RunRouter {
  readonly #deps: NodeRouterDeps;
  /** Runs that this node has on each other node. Gossip tells of them a second later. */
  readonly #outgoing = new Map<string, number>();

  constructor(deps: NodeRouterDeps) {
    this.#deps = deps;
  }

  hasAgent(name: string): boolean {
    return this.#deps.others().some(({ state, agents }) => state !== "dead" && agents.includes(name));
  }

  agentsElsewhere(): readonly string[] {
    const living = this.#deps.others().filter(({ state }) => state !== "dead");
    return [...new Set(living.flatMap(({ agents }) => agents))].sort();
  }

  place({ name, loaded }: LocatedAgent, request: AdmittedRequest): Placement {
    const own = this.#deps.own();
    const here = { ...own, agents: loaded === undefined ? [] : [name] };
    const others = this.#deps.others().map((node) => this.#withOutgoing(node));
    const nodes = [here, ...others];
    const place = (boundSession: string | undefined) =>
      placeRun({ agent: name, boundSession }, nodes, own.node_id);
    const isBound =
      request.history === undefined && nodes.some(({ bound_agents: bound }) => bound?.includes(name));
    const sessionId = isBound && request.isNewSession ? this.#sessionFor(place) : request.sessionId;
    const order = place(isBound ? sessionId : undefined).map(({ node_id: id }) => this.#runNode(id));
    // A node that leaves still runs what no other node can, or what the others that are left don't take.
    if (loaded !== undefined && !order.some(({ isHere }) => isHere)) order.push(this.#runNode(own.node_id));
    return { nodes: order, sessionId: sessionId ?? request.sessionId };
  }

  async *perform(
    { id }: RunNode,
    agent: LocatedAgent,
    request: AdmittedRequest,
    isRecorded: boolean,
    kept?: KeptRun,
  ): AsyncGenerator<RunEvent, void> {
    const { gate, metrics, log } = this.#deps;
    const node = this.#deps.others().find(({ node_id: other }) => other === id);
    const baseUrl = node === undefined ? "" : this.#deps.baseUrlOf(node);
    const leave = await gate.enter(request.cancelledBy[0]);
    this.#outgoing.set(id, (this.#outgoing.get(id) ?? 0) + 1);
    let outcome = "cancelled";
    try {
      const message = {
        from: this.#deps.self().nodeId,
        to: id,
        ...sentRun(agent, request, isRecorded),
        ...this.#keeping(node, request, kept),
      };
      for await (const event of callNode(this.#deps, baseUrl, message, request.cancelledBy)) {
        if (event.type === "done") {
          outcome = "ok";
          this.#deps.keepTrace(event);
        }
        yield event;
      }
    } catch (thrown) {
      const error: AppError = toAppError(thrown);
      outcome = error.code === "node_lost" || error.code === "node_unreachable" ? error.code : "failed";
      log.info("mesh.run_failed", {
        node: id,
        agent: agent.name,
        code: error.code,
        request_id: request.requestId,
      });
      throw thrown;
    } finally {
      metrics.sent(outcome);
      const left = (this.#outgoing.get(id) ?? 1) - 1;
      if (left === 0) this.#outgoing.delete(id);
      else this.#outgoing.set(id, left);
      leave();
    }
  }

  movedOn({ id }: RunNode, code: string): void {
    this.#deps.metrics.moved();
    this.#deps.log.warn("mesh.run_moved", { node: id, code });
  }

  /** Where the other node keeps the steps: under the run's own id in the shared database, or as it keeps those of its own callers. */
  #keeping(
    node: MeshEntry | undefined,
    { outlives }: AdmittedRequest,
    kept: KeptRun | undefined,
  ): Pick<MeshRun, "run_id" | "outlives"> {
    if (kept === undefined) return {};
    if (kept.id === "") return outlives ? { outlives } : {};
    if (!this.#deps.sharesData || node?.role === "inference") return {};
    kept.isElsewhere = true;
    return { run_id: kept.id };
  }

  #runNode(id: string): RunNode {
    return { id, isHere: id === this.#deps.self().nodeId };
  }

  #withOutgoing(node: MeshEntry): MeshEntry {
    const outgoing = this.#outgoing.get(node.node_id) ?? 0;
    return outgoing <= node.active_requests ? node : { ...node, active_requests: outgoing };
  }

  /** Returns a new session id that belongs to the least busy node, so that the session continues there. */
  #sessionFor(place: (boundSession: string | undefined) => readonly MeshEntry[]): string {
    const byLoad = place(undefined);
    const wanted = byLoad[0]?.node_id;
    let id = this.#deps.newId();
    for (let draw = byLoad.length * drawsPerNode; draw > 0; draw--) {
      if (place(id)[0]?.node_id === wanted) break;
      id = this.#deps.newId();
    }
    return id;
  }
}
