/** One call of a tool, as the run reported it. */
export interface ObservedCall {
  tool: string;
  input: Record<string, unknown>;
  output: unknown;
}

/** Observation of one answer, or of all answers of a case. Checks read nothing else. */
export interface Observation {
  query: string;
  response: string;
  /** With `output_schema`: the data of the answer. */
  data?: unknown;
  /** Undefined if the run ended well. */
  error?: { code: string; message: string };
  calls: readonly ObservedCall[];
  /** Model calls of the pattern. */
  steps: number;
  tokens: number;
  /** Undefined if the price of a model is unknown. */
  costUsd?: number;
  /** On the platform, in place of `costUsd`: credits that the run was charged. */
  creditsMicros?: number;
  latencyMs: number;
  inputRedacted: boolean;
  outputFiltered: boolean;
  /** Ids of documents whose passages were in the prompt, best first. */
  documents: readonly string[];
  model?: string;
  simulated: boolean;
  traceId?: string;
  /** On the platform. */
  invocationId?: string;
}

/** Observation without a run: the fixed answer of a case. */
export function fixedAnswer(query: string, response: string): Observation {
  return {
    query,
    response,
    calls: [],
    steps: 0,
    tokens: 0,
    costUsd: 0,
    latencyMs: 0,
    inputRedacted: false,
    outputFiltered: false,
    documents: [],
    simulated: false,
  };
}

/** The conversation so far as one observation: the last answer, with the calls, steps, tokens, cost and time of all turns. */
export function wholeConversation(turns: readonly Observation[]): Observation {
  const last = turns.at(-1);
  if (last === undefined) throw new TypeError("A conversation has at least one turn.");
  if (turns.length === 1) return last;
  const sum = (of: (turn: Observation) => number) => turns.reduce((total, turn) => total + of(turn), 0);
  const { costUsd: _, ...rest } = last;
  const isPriced = turns.every(({ costUsd }) => costUsd !== undefined);
  return {
    ...rest,
    calls: turns.flatMap(({ calls }) => calls),
    steps: sum(({ steps }) => steps),
    tokens: sum(({ tokens }) => tokens),
    ...(isPriced && { costUsd: sum(({ costUsd = 0 }) => costUsd) }),
    ...(last.creditsMicros !== undefined && { creditsMicros: sum(({ creditsMicros = 0 }) => creditsMicros) }),
    latencyMs: sum(({ latencyMs }) => latencyMs),
    inputRedacted: turns.some(({ inputRedacted }) => inputRedacted),
    outputFiltered: turns.some(({ outputFiltered }) => outputFiltered),
    simulated: turns.some(({ simulated }) => simulated),
  };
}
