/** Texts of judging an answer where it stands. */
export const verdictTexts = {
  up: "Good",
  down: "Bad",
  correct: "Correct it",
  corrected: "Corrected",
  correctTitle: "What should the answer have been?",
  correction: "Right answer",
  note: "What was wrong (optional)",
  save: "Save verdict",
  failed: "The verdict was not saved",
};

/** Texts of adding an answer to the evals of a tenant or an org. */
export const addCaseTexts = {
  add: "Add to test",
  title: "Add to a test",
  action: "Add case",
  eval: "Eval",
  evalHint: "One that exists, or the name of a new one.",
  question: "Question",
  expected: "Right answer (optional)",
  expectedHint: "Kept with the case for people; the checks decide.",
  added: (name: string) => `The case was added to ${name}.`,
  unreadable: "The eval's document has no list of cases.",
};

/** Texts of the sources of runs. */
export const sourceTexts = {
  source: "Source",
  filters: {
    traffic: "Production and triggers",
    all: "All runs",
    production: "Production",
    trigger: "Triggers",
    playground: "Playground",
    eval: "Evals",
  },
};
