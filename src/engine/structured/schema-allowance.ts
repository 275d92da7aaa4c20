/** Maximum subschemas in all schemas of one agent: vetting them takes 10 ms. */
const schemasMax = 3000;
/** Maximum steps of all patterns together, with a fixed extra per pattern: 40 ms of compiling. */
const patternStepsMax = 20_000;
const stepsOfAnyPattern = 25;

/** Limits on all schemas of one agent (of its tools, and its `output_schema`), because vetting them blocks the event loop. */
export interface SchemaAllowance {
  /** Counts a schema. Returns false if it is one too many. */
  takeSchema(): boolean;
  /** Counts steps of a pattern. Returns false if all together are too large. */
  takePattern(steps: number): boolean;
  /** True if there is room for another pattern, so that compiling it is useful. */
  readonly hasPatterns: boolean;
}

export function createSchemaAllowance(): SchemaAllowance {
  let schemas = 0;
  let patternSteps = 0;
  return {
    takeSchema: () => ++schemas <= schemasMax,
    takePattern(steps) {
      patternSteps += stepsOfAnyPattern + steps;
      return patternSteps <= patternStepsMax;
    },
    get hasPatterns() {
      return patternSteps <= patternStepsMax;
    },
  };
}

export const tooManySchemas = `is one schema too many: all schemas of an agent may consist of ${schemasMax} together`;
