import type { Model, ModelRequest } from "../model.ts";

/** A candidate and the router's measurements of it. */
export interface Standing {
  readonly model: Model;
  /** Price of 1000 input and 1000 output tokens in micros of USD; undefined if unknown, zero for local models. */
  readonly price: number | undefined;
  /** Moving average of the time to the first event; undefined before the first successful call. */
  readonly latencyMs: number | undefined;
  /** Number of the router's last call that tried it; -1 if none did. */
  readonly triedAtCall: number;
}

/** The call for which candidates are ranked; `number` counts the router's calls from 0. */
export interface CallToRank {
  number: number;
  request: ModelRequest;
}

/** Orders the candidates, best first. Pure: equal arguments give equal orders, and ties keep the declared order. */
export type Strategy = <Candidate extends Standing>(
  candidates: readonly Candidate[],
  call: CallToRank,
) => readonly Candidate[];
