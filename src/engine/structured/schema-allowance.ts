/** Schemas in all schemas of one agent: looking through them takes 10 ms. */
const schemasMax = 3000;
/** Steps of all patterns together, each with as much again for being one: 40 ms of compiling. */
const patternStepsMax = 20_000;
const stepsOfAnyPattern = 50;

/**
 * What the schemas of one agent (of its tools, and its `output_schema`) may have together: they are looked through at once,
 * while others wait.
 */
export interface SchemaAllowance {
  /** Counts a schema. False: it is one too many. */
  takeSchema(): boolean;
  /** Counts a pattern of so many steps. False: all together are too large. */
  takePattern(steps: number): boolean;
  /** Whether there is room for another pattern, so that compiling it makes sense. */
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
