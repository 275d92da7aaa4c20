import type { Model, ModelRequest } from "../model.ts";

/** A candidate with what the router has learned about it. */
export interface Standing {
  readonly model: Model;
  /** What 1000 tokens in and 1000 out cost, in micros of USD; undefined when nobody knows, zero for local models. */
  readonly price: number | undefined;
  /** Moving average of the time to the first event; undefined until a call has succeeded. */
  readonly latencyMs: number | undefined;
  /** Number of the router's call that tried it last; -1 when none did. */
  readonly triedAtCall: number;
}

/** The call to be ranked for; `number` counts the router's calls from 0. */
export interface CallToRank {
  number: number;
  request: ModelRequest;
}

/** Orders the candidates, best first. Pure: equal arguments give an equal order, and ties keep the declared one. */
export type Strategy = <Candidate extends Standing>(
  candidates: readonly Candidate[],
  call: CallToRank,
) => readonly Candidate[];
